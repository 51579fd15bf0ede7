import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bind } from '../../src/ui/comfort/bindings.ts'
import { inboxOf } from '../../src/ui/inbox/list.ts'
import { inboxWindow } from '../../src/ui/inbox/rows.ts'
import { keyed } from '../../src/ui/key-names.ts'
import { keyRows } from '../../src/ui/keys.ts'
import { resized } from '../../src/ui/movement.ts'
import { reviewArrived } from '../../src/ui/review/arrivals.ts'
import { approvalIn, reviewDocument } from '../../src/ui/review/window.ts'
import { fileOf, reviewOfFiles } from '../support/review.ts'
import { openDesk, type TestDesk } from './desk.ts'
import { type Fixture, openFixture } from './fixture.ts'
import { openScreen } from './screen.ts'

let fixture: Fixture
let desk: TestDesk
beforeEach(async () => {
  fixture = await openFixture()
  await fixture.addWorktree('user-auth')
  await fixture.makeReady('user-auth')
  desk = await openDesk(fixture)
})
afterEach(() => fixture.close())

const bound = bind(keyRows, {
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
const rebound = (): void => desk.change((state) => ({ ...state, comfort: { ...state.comfort, bindings } }))

const review = (): string => {
  const document = reviewDocument(desk.state(), approvalIn(desk.state().view.overlay)!)!
  return Array.from({ length: document.total }, (_, row) => document.line(row).text).join('\n')
}

test('a review names the keys that the configuration gives, and the default ones without it', () => {
  desk.change(resized(100, 40))
  desk.press('4', 'i')
  desk.change(reviewArrived(reviewOfFiles([fileOf('huge.txt', '', { content: 'unread', diff: null, added: null, removed: null, size: 90_000_000 })])))
  expect(review()).toContain('It is large, so it was not read yet; enter reads it.')
  expect(review()).toContain('(L shows all that it printed)')
  rebound()
  expect(review()).toContain('It is large, so it was not read yet; ctrl-o reads it.')
  expect(review()).toContain('(O shows all that it printed)')
  desk.press('ctrl-s')
  expect(desk.notice()).toBe('There is no comment to send; ctrl-k writes one.')
  desk.press('G', 'ctrl-k', 'W', 'h', 'y', 'enter')
  expect(desk.notice()).toBe('The comment is noted; ctrl-s sends all of them.')
  expect(review()).toContain('Your comments (1): ctrl-s sends them, ctrl-e takes one back')
})

test('the inbox names the key that shows the rest of what is asked', () => {
  desk.change(resized(60, 15))
  desk.press('W')
  const cutOff = () => inboxWindow(desk.state(), inboxOf(desk.state())!).cutOff
  expect(cutOff()).toBe('')
  const { attention } = desk.state().board
  desk.change((state) => ({ ...state, board: { ...state.board, attention: attention.map((item) => ({ ...item, text: 'a line\n'.repeat(50) })) } }))
  expect(cutOff()).toMatch(/^\d+ more lines: enter$/)
  rebound()
  expect(cutOff()).toMatch(/^\d+ more lines: ctrl-o$/)
})

test('a question names the key that says no', async () => {
  await fixture.addTask('Log in')
  const screen = openScreen(fixture, { columns: 120, rows: 40 })
  await screen.shows('Log in')
  await screen.press('x')
  await screen.shows('y yes   n esc no')
  await screen.close()
  rebound()
  expect(keyed(desk.state(), 'y yes   {no} no')).toBe('y yes   q no')
})

test('what only looks like the name of a key stays as it is', () => {
  expect(keyed(desk.state(), '{nothing-of-that-name} and {open}')).toBe('{nothing-of-that-name} and enter')
})

test('no text spells a key out that can be another one', () => {
  const folder = resolve(import.meta.dirname, '../../src/text')
  const spelt = readdirSync(folder)
    // The signs stand there to be taken out of what is read aloud.
    .filter((name) => name !== 'keys.ts' && name !== 'signs.ts')
    .flatMap((name) =>
      readFileSync(join(folder, name), 'utf8')
        .split('\n')
        .filter((line) => !/^ *(\/\/|\/\*|\*)/.test(line))
        .filter((line) => /\b(enter|tab|space)\b|ctrl-|[◂▸]|\b[A-Zb-z/!\]] (shows|sends|takes|writes|goes|resumes|wakes|quits|reads)\b/.test(line))
        .map((line) => `${name}: ${line.trim()}`),
    )
  expect(spelt).toEqual([])
})
