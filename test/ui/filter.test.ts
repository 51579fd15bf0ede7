import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { footerSpans } from '../../components/Footer.tsx'
import { AFTER, BEFORE, makeMatches, SPAN } from '../../src/ui/filter/matches.ts'
import { filterHint } from '../../src/ui/filter/hint.ts'
import { savedWindow } from '../../src/ui/filter/saved.ts'
import { footerOf } from '../../src/ui/key-table.ts'
import { keptOf } from '../../src/ui/kept.ts'
import { eventually } from '../support/eventually.ts'
import { openDesk, type TestDesk } from './desk.ts'
import { type Fixture, openFixture } from './fixture.ts'

let fixture: Fixture
let desk: TestDesk

beforeEach(async () => {
  fixture = await openFixture()
  await fixture.addWorktree('user-auth')
  for (const title of ['Login form', 'Logout', 'Tests']) await fixture.addTask(title, title === 'Tests' ? { personaId: 'tester' } : {})
  desk = await openDesk(fixture)
})

afterEach(() => fixture.close())

const text = (): string => {
  const { overlay } = desk.state().view
  return overlay?.kind === 'filter' ? overlay.text : ''
}

const type = (words: string): void => desk.press(...words)

test('the board follows what is typed, and stays as it is while a term means nothing', () => {
  desk.press('/')
  type('log persona:tester')
  expect(desk.state().view.filter).toBe('log persona:tester')
  type(' state:f')
  expect(desk.state().view.filter).toBe('log persona:tester')
  expect(filterHint(desk.state())).toEqual({
    hint: "'state:f': a state is pending, claimed, in_progress, completed, failed, cancelled, blocked, waiting, sleeping, stalled or over-budget.",
    wrong: true,
  })
  desk.press('enter')
  expect(desk.mode()).toBe('filter')
  desk.press('ctrl-w', 'enter')
  expect([desk.mode(), desk.state().view.filter]).toEqual(['list', 'log persona:tester'])
  desk.press('/', 'escape')
  expect([desk.mode(), desk.state().view.filter]).toEqual(['list', ''])
})

test('tab continues keys and values, goes on to the next that fits and comes back to what was typed', () => {
  desk.press('/')
  type('st')
  desk.press('tab')
  expect(text()).toBe('state:')
  type('c')
  const seen = [1, 2, 3, 4].map(() => {
    desk.press('tab')
    return text()
  })
  expect(seen).toEqual(['state:claimed', 'state:completed', 'state:cancelled', 'state:c'])
  desk.press('shift-tab')
  expect(text()).toBe('state:cancelled')
  expect(desk.state().view.filter).toBe('state:cancelled')
  desk.press('ctrl-u')
  type('worktree:u')
  desk.press('tab')
  expect(text()).toBe('worktree:user-auth')
  type(' persona:t')
  desk.press('tab')
  expect(text()).toBe('worktree:user-auth persona:tester')
  expect(filterHint({ ...desk.state(), found: { count: 1, complete: true } }).hint).toContain('1 task')
})

test('on a narrow screen the footer names the saved filters rather than what the line says itself', () => {
  desk.press('/')
  const footer = footerOf(desk.state())
  const namedAt = (width: number): readonly string[] => footerSpans({ ...footer, width }).map(({ key }) => `${key.keys} ${key.label}`)
  expect(namedAt(80)).toEqual(['enter keep', 'tab complete', '↓ saved', 'ctrl-s save', 'esc clear'])
  expect(namedAt(60)).toEqual(['enter keep', 'tab complete', '↓ saved', 'ctrl-s save'])
  for (const width of [50, 45, 40]) expect(namedAt(width)).toContain('↓ saved')
})

test('tab goes on from a key that was the only offer to its names', () => {
  desk.press('/')
  type('wor')
  desk.press('tab')
  expect(text()).toBe('worktree:')
  desk.press('tab')
  expect(text()).toBe('worktree:user-auth')
  desk.press('tab', 'tab')
  expect(text()).toBe('worktree:')
  desk.press('shift-tab')
  expect(text()).toBe('worktree:none')
})

test('a filter is saved under a name, chosen from the list and forgotten', () => {
  desk.press('/', 'down')
  expect(desk.notice()).toBe('No filter is saved yet; ctrl-s saves the one that is typed.')
  desk.press('ctrl-s')
  expect(desk.notice()).toBe('There is nothing to save yet.')
  type('persona:tester')
  desk.press('ctrl-s', 'enter')
  expect(desk.notice()).toBe('A saved filter needs a name.')
  type('mine')
  desk.press('enter')
  expect([desk.mode(), desk.notice(), desk.state().view.filter]).toEqual(['list', 'The filter is saved as mine.', 'persona:tester'])
  expect(desk.state().kept.filters).toEqual([{ name: 'mine', filter: 'persona:tester' }])

  desk.press('escape', '/')
  type('login')
  desk.press('ctrl-s')
  type('a first')
  desk.press('enter', '/', 'down')
  expect(desk.mode()).toBe('filters')
  expect(savedWindow(desk.state(), { kind: 'filters', at: 1, top: 0 }, 5).lines.map((line) => line.text)).toEqual(['  a first  login', '▸ mine  persona:tester'])
  desk.press('j', 'enter')
  expect([desk.mode(), desk.state().view.filter]).toEqual(['list', 'persona:tester'])
  desk.press('/', 'down', 'd')
  expect(desk.state().kept.filters.map(({ name }) => name)).toEqual(['mine'])
  desk.press('d')
  expect([desk.mode(), desk.state().kept.filters]).toEqual(['filter', []])
})

test('what is kept is taken from a file that anybody may have edited', () => {
  expect(keptOf({ filters: 'x', commands: [{ path: 'a', values: { b: 3 } }, null, { path: 'a', values: { b: 'c' } }] })).toEqual({
    filters: [],
    commands: [{ path: 'a', values: { b: 'c' } }],
  })
})

/** A board of `size` tasks of which `matching` meet the filter, and what was asked of it. */
const matchesOn = (size: number, matching: (id: number) => boolean) => {
  const asked: number[] = []
  const board = { size, matching }
  const told: { count: number; complete: boolean }[] = []
  const again = vi.fn()
  const matches = makeMatches(
    async (_, from) => {
      asked.push(from)
      const ids = Array.from({ length: Math.max(0, Math.min(SPAN, board.size - from + 1)) }, (_, at) => from + at).filter((id) => board.matching(id))
      return { ids, next: from + SPAN > board.size ? null : from + SPAN }
    },
    (found) => told.push(found),
    again,
  )
  return { matches, asked, board, told, again }
}

const always = (): boolean => true

test('a few tasks among many are all found, wherever they are', async () => {
  const { matches, told } = matchesOn(60_000, (id) => id % 20_000 === 7)
  expect(await matches.window('x', 1, always)).toEqual({ among: [7, 20_007, 40_007], moreBefore: false, moreAfter: false })
  expect(told.at(-1)).toEqual({ count: 3, complete: true })
  matches.stop()
})

test('a window is cut out of many matches without looking at the whole board, whose count follows', async () => {
  const { matches, asked, told } = matchesOn(60_000, () => true)
  const window = (await matches.window('x', 500, always))!
  expect([window.among[0], window.among.length, window.moreBefore, window.moreAfter]).toEqual([500 - BEFORE, BEFORE + AFTER, true, true])
  expect(asked).toEqual([1])
  await eventually(() => expect(told.at(-1)).toEqual({ count: 60_000, complete: true }))
  matches.stop()
})

test('a refresh looks at the piece that is shown and the last one; the others follow and are told where they changed', async () => {
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

test('another filter begins anew, and what nobody waits for any more is left', async () => {
  const { matches, asked } = matchesOn(20_000, (id) => id === 19_999)
  expect(await matches.window('x', 1, () => asked.length < 2)).toBe(undefined)
  expect(asked.length).toBe(2)
  expect((await matches.window('y', 1, always))!.among).toEqual([19_999])
  matches.stop()
})
