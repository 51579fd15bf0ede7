import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Conflict } from '../../src/domain/radar.ts'
import type { Radar, RadarWorktree } from '../../src/operations/kernel/outside.ts'
import { radarArrived } from '../../src/ui/radar-feed.ts'
import { radarMark, type RadarOverlay, radarWarnings, radarWindow } from '../../src/ui/radar-sheet.ts'
import { type ConsoleState, initialState } from '../../src/ui/state.ts'
import { eventually } from '../support/eventually.ts'
import { openDesk, type TestDesk } from './desk.ts'
import { type Fixture, openFixture } from './fixture.ts'
import { openScreen } from './screen.ts'

const worktree = (name: string, draft: Partial<RadarWorktree> = {}): RadarWorktree => ({
  name,
  target: 'main',
  brings: true,
  unfinished: 0,
  needs: [],
  uncommitted: 0,
  remark: null,
  ...draft,
})
const conflict = (a: string, b: string, files: readonly string[], draft: Partial<Conflict> = {}): Conflict => ({
  a,
  b,
  withTarget: b === 'main',
  files,
  includesUncommitted: false,
  problem: null,
  ...draft,
})

const seen: Radar = {
  worktrees: [worktree('auth'), worktree('payments', { needs: ['schema'] }), worktree('schema', { remark: 'not looked at: files 1 longer than 8 MB' })],
  pairs: [
    conflict('auth', 'main', ['a.ts']),
    conflict('auth', 'payments', ['a.ts', 'b\u202e.ts'], { includesUncommitted: true }),
    conflict('payments', 'schema', [], { problem: 'they have no commit in common' }),
  ],
  order: ['schema', 'payments', 'auth'],
  steps: [
    { worktree: 'schema', why: 'merges as it is' },
    { worktree: 'payments', why: 'its tasks build on schema' },
    { worktree: 'auth', why: 'conflicts with main, which it has to take in first' },
  ],
}

const stateWith = (radar: Radar | null, columns = 80): ConsoleState => {
  const state = initialState('2026-01-30T14:22:33.000Z')
  return { ...state, radar, view: { ...state.view, size: { columns, rows: 24 } } }
}

const overlay = (draft: Partial<RadarOverlay> = {}): RadarOverlay => ({ kind: 'radar', row: 0, column: 0, top: 0, pair: null, ...draft })

/** The lines as they are seen, the cursor's mark included. */
const shown = (state: ConsoleState, over: RadarOverlay, height: number): readonly string[] =>
  radarWindow(state, over, height).lines.map(({ text, lead, cursor }) => `${cursor ? '▸' : ' '}${lead ?? ''}${text}`.trimEnd())

describe('the matrix', () => {
  test('has a row and a column for each worktree and one for the target, marked by letters, and the order below', () => {
    expect(shown(stateWith(seen), overlay({ column: 2 }), 20)).toEqual([
      '            T  1  2  3',
      '▸1 auth     C  – [U] ·',
      ' 2 payments ·  U  –  ?',
      ' 3 schema   ·  ·  ?  –',
      '',
      ' C conflicts   U conflicts, and not all is committed',
      ' ? cannot be compared   · merges   – itself   T its target',
      '',
      ' Suggested landing order',
      ' 1. schema    merges as it is',
      ' 2. payments  its tasks build on schema',
      ' 3. auth      conflicts with main, which it has to take in first',
    ])
  })

  test('says of the pair under the cursor what it conflicts in', () => {
    const titleAt = (row: number, column: number): string => radarWindow(stateWith(seen), overlay({ row, column }), 10).title
    expect(titleAt(0, 0)).toBe('Conflict radar: auth conflicts with main in a.ts')
    expect(titleAt(0, 2)).toBe('Conflict radar: auth conflicts with payments in a.ts, b⟨202E⟩.ts, with what is not committed yet')
    expect(titleAt(2, 1)).toBe('Conflict radar: schema merges with auth')
    expect(titleAt(2, 3)).toBe('Conflict radar')
  })

  test('of 50 worktrees shows those that fit, with the cursor among them and the numbers of the columns on top', () => {
    const many: Radar = {
      worktrees: Array.from({ length: 50 }, (_, n) => worktree(`worktree-${n + 1}`)),
      pairs: [conflict('worktree-40', 'worktree-50', ['x'])],
      order: [],
      steps: [],
    }
    for (const columns of [200, 80, 60, 40]) {
      const lines = shown(stateWith(many, columns), overlay({ row: 39, column: 50 }), 9)
      expect(lines).toHaveLength(9)
      expect(lines[0]).toMatch(/T .* 50/)
      expect(lines.at(-1)).toMatch(/^▸40 .*\[C ?\]/)
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns - 2)
    }
  })

  test('is being made, or has nothing to compare', () => {
    expect(shown(stateWith(null), overlay(), 5)).toEqual([' Looking…'])
    expect(shown(stateWith({ worktrees: [], pairs: [], order: [], steps: [] }), overlay(), 5)).toEqual([' There are no worktrees to compare.'])
  })
})

describe('a worktree', () => {
  test('is marked with the first that it conflicts with', () => {
    const state = stateWith(seen)
    expect(['auth', 'payments', 'schema', 'other'].map((name) => radarMark(state, name))).toEqual([
      'conflicts with main +1',
      'conflicts with auth +1',
      'cannot merge with payments',
      '',
    ])
  })

  test('is warned about before it is approved', () => {
    expect(radarWarnings(stateWith(seen), 'payments')).toEqual([
      'payments conflicts with auth in a.ts, b\u202e.ts, with what is not committed yet.',
      'payments cannot be merged with schema: they have no commit in common.',
      'Tasks of payments build on schema, which has not landed.',
    ])
    expect(radarWarnings(stateWith(seen), 'nowhere')).toEqual([])
    expect(radarWarnings(stateWith(null), 'payments')).toEqual([])
  })
})

describe('the keys', () => {
  let fixture: Fixture
  let desk: TestDesk

  beforeEach(async () => {
    fixture = await openFixture()
    for (const name of ['auth', 'payments', 'schema']) await fixture.addWorktree(name)
    desk = await openDesk(fixture)
    desk.change(radarArrived(seen))
  })
  afterEach(() => fixture.close())

  const radar = (): RadarOverlay => desk.state().view.overlay as RadarOverlay

  test('C opens it at the worktree at hand and its first conflict; arrows and hjkl move, and stop at the edges', () => {
    desk.press('4', 'j', 'C')
    expect(desk.mode()).toBe('radar')
    expect([radar().row, radar().column]).toEqual([1, 1])
    desk.press('l', 'right', 'l')
    expect(radar().column).toBe(3)
    desk.press('h', 'left', 'h', 'h', 'k', 'k')
    expect([radar().row, radar().column]).toEqual([0, 0])
  })

  test('down from the matrix leads to the order, over what lies between, and back', () => {
    desk.press('C', 'j', 'j', 'j')
    expect(radar().row).toBe(8)
    desk.press('k')
    expect(radar().row).toBe(2)
    desk.press('G')
    expect(radar().row).toBe(10)
    desk.press('j')
    expect(radar().row).toBe(10)
    desk.press('g')
    expect(radar().row).toBe(0)
  })

  test('enter on a pair opens its files, enter or esc goes back, esc leaves', () => {
    desk.press('C', 'h', 'l', 'l', 'enter')
    expect(radar().pair).toEqual({ a: 'auth', b: 'payments', withTarget: false })
    desk.press('enter')
    expect([radar().pair, radar().column]).toEqual([null, 2])
    desk.press('enter', 'escape', 'escape')
    expect(desk.mode()).toBe('list')
  })

  test('enter where nothing conflicts says so, and in the order goes to the worktree', () => {
    desk.press('C', 'g', 'l', 'enter')
    expect(desk.notice()).toBe('Move to a pair; C, U and ? mark those that do not merge.')
    desk.press('l', 'l', 'enter')
    expect(desk.notice()).toBe('auth merges with schema by itself.')
    desk.press('G', 'enter')
    expect([desk.mode(), desk.state().view.pane, desk.state().view.worktree]).toEqual(['list', 'worktrees', 'auth'])
  })

  test('the radar may lose worktrees under the cursor', () => {
    desk.press('C', 'G')
    desk.change(radarArrived({ ...seen, worktrees: [seen.worktrees[0]!], pairs: [], order: [], steps: [] }))
    desk.press('k', 'k')
    expect(radar().row).toBe(0)
    desk.press('l', 'l', 'enter')
    expect(desk.mode()).toBe('radar')
  })

  test('what has not changed stays the same object', () => {
    const before = desk.state()
    desk.change(radarArrived(structuredClone(seen)))
    expect(desk.state()).toBe(before)
  })
})

test('on the screen: the mark in the pane, the files in the detail, the matrix, its files; opened, it looks at everything', async () => {
  const fixture = await openFixture()
  for (const name of ['auth', 'payments', 'schema']) await fixture.addWorktree(name)
  const asked: boolean[] = []
  fixture.world.radar = async (options) => (asked.push(options?.everything ?? false), seen)
  const screen = openScreen(fixture)
  await screen.shows('⚠ conflicts with main +1')
  await screen.press('4', '\r')
  await screen.shows('Conflicts with payments')
  await screen.shows('b⟨202E⟩.ts')
  expect(asked.includes(true)).toBe(false)
  await screen.press('C')
  await screen.shows('Suggested landing order')
  await screen.shows('▸1 auth')
  await screen.press('l', 'l', '\r')
  await screen.shows('auth × payments')
  await screen.shows('Some of it is not committed yet.')
  await screen.press('\u001b')
  await screen.shows('[U]')
  await eventually(() => expect(asked.includes(true)).toBe(true))
  await screen.close()
  fixture.close()
})
