import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { footerSpans } from '../../../../components/Footer.tsx'
import { AFTER, BEFORE, makeMatches, SPAN } from '../../../../src/ui/panes/matches.ts'
import { filterHint, savedWindow } from '../../../../src/ui/views/filter/filter.ts'
import { footerOf } from '../../../../src/ui/keys/help.ts'
import { keptOf } from '../../../../src/ui/core/console-memory.ts'
import { eventually } from '../../../support/eventually.ts'
import { openController, type TestController } from '../../controller.ts'
import { type Fixture, openFixture } from '../../fixture.ts'

let fixture: Fixture
let controller: TestController

beforeEach(async () => {
  fixture = await openFixture()
  await fixture.addWorktree('user-auth')
  for (const title of ['Login form', 'Logout', 'Tests'])
    await fixture.addTask(title, title === 'Tests' ? { personaId: 'tester' } : {})
  controller = await openController(fixture)
})

afterEach(() => fixture.close())

const text = (): string => {
  const { overlay } = controller.state().view
  return overlay?.kind === 'filter' ? overlay.text : ''
}

const type = (words: string): void => controller.press(...words)

test('the board follows the typed filter, and does not change while a term is invalid', () => {
  controller.press('/')
  type('log persona:tester')
  expect(controller.state().view.filter).toBe('log persona:tester')
  type(' state:f')
  expect(controller.state().view.filter).toBe('log persona:tester')
  expect(filterHint(controller.state())).toEqual({
    hint: "'state:f': a state is one of pending, claimed, in_progress, completed, failed, cancelled, blocked, waiting, sleeping, stalled or over-budget.",
    wrong: true,
  })
  controller.press('enter')
  expect(controller.mode()).toBe('filter')
  controller.press('ctrl-w', 'enter')
  expect([controller.mode(), controller.state().view.filter]).toEqual(['list', 'log persona:tester'])
  controller.press('/', 'escape')
  expect([controller.mode(), controller.state().view.filter]).toEqual(['list', ''])
})

test('tab completes keys and values, then the next candidate, and returns to the typed text', () => {
  controller.press('/')
  type('st')
  controller.press('tab')
  expect(text()).toBe('state:')
  type('c')
  const seen = [1, 2, 3, 4].map(() => {
    controller.press('tab')
    return text()
  })
  expect(seen).toEqual(['state:claimed', 'state:completed', 'state:cancelled', 'state:c'])
  controller.press('shift-tab')
  expect(text()).toBe('state:cancelled')
  expect(controller.state().view.filter).toBe('state:cancelled')
  controller.press('ctrl-u')
  type('worktree:u')
  controller.press('tab')
  expect(text()).toBe('worktree:user-auth')
  type(' persona:t')
  controller.press('tab')
  expect(text()).toBe('worktree:user-auth persona:tester')
  expect(filterHint({ ...controller.state(), found: { count: 1, complete: true } }).hint).toContain('1 task')
})

test('the footer of a narrow screen prefers the saved filters to the hints in the line itself', () => {
  controller.press('/')
  const footer = footerOf(controller.state())
  const namedAt = (width: number): readonly string[] =>
    footerSpans({ ...footer, width }).map(({ key }) => `${key.keys} ${key.label}`)
  expect(namedAt(80)).toEqual(['enter keep', 'tab complete', '↓ saved', 'ctrl-s save', 'esc clear'])
  expect(namedAt(60)).toEqual(['enter keep', 'tab complete', '↓ saved', 'ctrl-s save'])
  for (const width of [50, 45, 40]) expect(namedAt(width)).toContain('↓ saved')
})

test('tab continues from the only matching key to its values', () => {
  controller.press('/')
  type('wor')
  controller.press('tab')
  expect(text()).toBe('worktree:')
  controller.press('tab')
  expect(text()).toBe('worktree:user-auth')
  controller.press('tab', 'tab')
  expect(text()).toBe('worktree:')
  controller.press('shift-tab')
  expect(text()).toBe('worktree:none')
})

test('a filter is saved under a name, chosen from the list and deleted', () => {
  controller.press('/', 'down')
  expect(controller.notice()).toBe('No saved filters. ctrl-s saves the current filter.')
  controller.press('ctrl-s')
  expect(controller.notice()).toBe('Nothing to save yet.')
  type('persona:tester')
  controller.press('ctrl-s', 'enter')
  expect(controller.notice()).toBe('A saved filter needs a name.')
  type('mine')
  controller.press('enter')
  expect([controller.mode(), controller.notice(), controller.state().view.filter]).toEqual([
    'list',
    'Filter saved as mine.',
    'persona:tester',
  ])
  expect(controller.state().kept.filters).toEqual([{ name: 'mine', filter: 'persona:tester' }])

  controller.press('escape', '/')
  type('login')
  controller.press('ctrl-s')
  type('a first')
  controller.press('enter', '/', 'down')
  expect(controller.mode()).toBe('filters')
  expect(savedWindow(controller.state(), { kind: 'filters', at: 1, top: 0 }, 5).lines.map((line) => line.text)).toEqual(
    ['  a first  login', '▸ mine  persona:tester'],
  )
  controller.press('j', 'enter')
  expect([controller.mode(), controller.state().view.filter]).toEqual(['list', 'persona:tester'])
  controller.press('/', 'down', 'd')
  expect(controller.state().kept.filters.map(({ name }) => name)).toEqual(['mine'])
  controller.press('d')
  expect([controller.mode(), controller.state().kept.filters]).toEqual(['filter', []])
})

test('the saved filters are read from a file that a person may have edited', () => {
  expect(
    keptOf({ filters: 'x', commands: [{ path: 'a', values: { b: 3 } }, null, { path: 'a', values: { b: 'c' } }] }),
  ).toEqual({
    filters: [],
    commands: [{ path: 'a', values: { b: 'c' } }],
    task: {},
    viewed: {},
  })
})

/** A board of `size` tasks of which `matching` match the filter, and the reads of it. */
const matchesOn = (size: number, matching: (id: number) => boolean) => {
  const asked: number[] = []
  const board = { size, matching }
  const told: { count: number; complete: boolean }[] = []
  const again = vi.fn()
  const matches = makeMatches(
    async (_, from) => {
      asked.push(from)
      const ids = Array.from(
        { length: Math.max(0, Math.min(SPAN, board.size - from + 1)) },
        (_, at) => from + at,
      ).filter((id) => board.matching(id))
      return { ids, next: from + SPAN > board.size ? null : from + SPAN }
    },
    (found) => told.push(found),
    again,
  )
  return { matches, asked, board, told, again }
}

const always = (): boolean => true

test('a few matching tasks among many are all found, in any place', async () => {
  const { matches, told } = matchesOn(60_000, (id) => id % 20_000 === 7)
  expect(await matches.window('x', 1, always)).toEqual({
    among: [7, 20_007, 40_007],
    moreBefore: false,
    moreAfter: false,
  })
  expect(told.at(-1)).toEqual({ count: 3, complete: true })
  matches.stop()
})

test('a window is read from many matches without reading the whole board, and the count follows', async () => {
  const { matches, asked, told } = matchesOn(60_000, () => true)
  const window = (await matches.window('x', 500, always))!
  expect([window.among[0], window.among.length, window.moreBefore, window.moreAfter]).toEqual([
    500 - BEFORE,
    BEFORE + AFTER,
    true,
    true,
  ])
  expect(asked).toEqual([1])
  await eventually(() => expect(told.at(-1)).toEqual({ count: 60_000, complete: true }))
  matches.stop()
})

test('a refresh reads the visible piece and the last one; the others follow and are reported if they changed', async () => {
  const { matches, asked, board, again, told } = matchesOn(20_000, (id) => id % 1000 === 0)
  await matches.window('x', 1, always)
  asked.length = 0
  board.matching = (id) => id % 1000 === 0 || id === 12_345
  const window = await matches.window('x', 1, always)
  expect(asked).toEqual([1, 18_001])
  expect(window!.among).not.toContain(12_345)
  await eventually(() => expect(again).toHaveBeenCalled())
  expect((await matches.window('x', 1, always))!.among).toContain(12_345)
  expect(told.at(-1)!.count).toBe(21)
  matches.stop()
})

test('another filter starts over, and a superseded read is dropped', async () => {
  const { matches, asked } = matchesOn(20_000, (id) => id === 19_999)
  expect(await matches.window('x', 1, () => asked.length < 2)).toBe(undefined)
  expect(asked.length).toBe(2)
  expect((await matches.window('y', 1, always))!.among).toEqual([19_999])
  matches.stop()
})
