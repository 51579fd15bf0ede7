import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bind, keyed } from '../../../src/ui/keys/bindings.ts'
import { resized } from '../../../src/ui/panes/movement.ts'
import { inboxOf } from '../../../src/ui/views/inbox/inbox.ts'
import { inboxWindow } from '../../../src/ui/views/inbox/lines.ts'
import { table } from '../../../src/ui/views/index.ts'
import { reviewArrived } from '../../../src/ui/views/review/feed.ts'
import { approvalIn, reviewDocument } from '../../../src/ui/views/review/review.ts'
import { fileOf, reviewOfFiles } from '../../support/review.ts'
import { openController, type TestController } from '../controller.ts'
import { type Fixture, openFixture } from '../fixture.ts'
import { openScreen } from '../screen.ts'

let fixture: Fixture
let controller: TestController
beforeEach(async () => {
  fixture = await openFixture()
  await fixture.addWorktree('user-auth')
  await fixture.makeReady('user-auth')
  controller = await openController(fixture)
})
afterEach(() => fixture.close())

const bound = bind(table, {
  fold: ['ctrl-o'],
  output: ['O'],
  send: ['ctrl-s'],
  uncomment: ['ctrl-e'],
  comment: ['ctrl-k'],
  search: ['ctrl-f'],
  'item-open': ['ctrl-o'],
  no: ['q'],
})
if ('problem' in bound) throw new Error(bound.problem)
const bindings = bound.bindings
const rebound = (): void =>
  controller.change((state) => ({ ...state, preferences: { ...state.preferences, bindings } }))

const review = (): string => {
  const document = reviewDocument(controller.state(), approvalIn(controller.state().view.overlay)!)!
  return Array.from({ length: document.total }, (_, row) => document.line(row).text).join('\n')
}

test('a review names the configured keys, and the default keys without a configuration', () => {
  controller.change(resized(100, 40))
  controller.press('4', 'i')
  controller.change(
    reviewArrived(
      reviewOfFiles([
        fileOf('huge.txt', '', { content: 'unread', diff: null, added: null, removed: null, size: 90_000_000 }),
      ]),
    ),
  )
  expect(review()).toContain('Large file, not loaded. enter loads it.')
  expect(review()).toContain('(L shows the output)')
  rebound()
  expect(review()).toContain('Large file, not loaded. ctrl-o loads it.')
  expect(review()).toContain('(O shows the output)')
  controller.press('ctrl-s')
  expect(controller.notice()).toBe('No comments to send. ctrl-k adds one.')
  controller.press('G', 'ctrl-k', 'W', 'h', 'y', 'enter')
  expect(controller.notice()).toBe('Comment saved. ctrl-s sends all comments.')
  expect(review()).toContain('Your comments (1): ctrl-s send, ctrl-e delete')
})

test('the inbox names the key that shows the rest of the request', () => {
  controller.change(resized(60, 15))
  controller.press('W')
  const cutOff = () => inboxWindow(controller.state(), inboxOf(controller.state())!).cutOff
  expect(cutOff()).toBe('')
  const { attention } = controller.state().board
  controller.change((state) => ({
    ...state,
    board: { ...state.board, attention: attention.map((item) => ({ ...item, text: 'a line\n'.repeat(50) })) },
  }))
  expect(cutOff()).toMatch(/^\d+ more lines: enter$/)
  rebound()
  expect(cutOff()).toMatch(/^\d+ more lines: ctrl-o$/)
})

test('a question names the key that declines', async () => {
  await fixture.addTask('Log in')
  const screen = openScreen(fixture, { columns: 120, rows: 40 })
  await screen.shows('Log in')
  await screen.press('x')
  await screen.shows('y yes   n esc no')
  await screen.close()
  rebound()
  expect(keyed(controller.state(), 'y yes   {no} no')).toBe('y yes   q no')
})

test('a word that only looks like the name of a key does not change', () => {
  expect(keyed(controller.state(), '{nothing-of-that-name} and {open}')).toBe('{nothing-of-that-name} and enter')
})

test('no text spells a key out that can be another one', () => {
  const folder = resolve(import.meta.dirname, '../../../src/text')
  const spelt = readdirSync(folder)
    // These signs are listed to be removed from what is read aloud.
    .filter((name) => name !== 'keys.ts' && name !== 'screen-reader.ts')
    .flatMap((name) =>
      readFileSync(join(folder, name), 'utf8')
        .split('\n')
        .filter((line) => !/^ *(\/\/|\/\*|\*)/.test(line))
        .filter((line) =>
          /\b(enter|tab|space)\b|ctrl-|[◂▸]|\b[A-Zb-z/!\]] (shows|sends|takes|writes|goes|resumes|wakes|quits|reads)\b/.test(
            line,
          ),
        )
        .map((line) => `${name}: ${line.trim()}`),
    )
  expect(spelt).toEqual([])
})
