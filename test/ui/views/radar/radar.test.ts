import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Conflict } from '../../../../src/domain/integration/radar.ts'
import type { Radar, RadarWorktree } from '../../../../src/contracts/observations.ts'
import { radarArrived } from '../../../../src/ui/views/radar/radar.ts'
import { type RadarOverlay, radarWindow } from '../../../../src/ui/views/radar/lines.ts'
import { radarMark, radarWarnings } from '../../../../src/ui/rows/worktrees.ts'
import { type ConsoleState } from '../../../../src/ui/core/state.ts'
import { initialState } from '../../../../src/ui/store.ts'
import { eventually } from '../../../support/eventually.ts'
import { openController, type TestController } from '../../controller.ts'
import { type Fixture, openFixture } from '../../fixture.ts'
import { openScreen } from '../../screen.ts'

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
  worktrees: [
    worktree('auth'),
    worktree('payments', { needs: ['schema'] }),
    worktree('schema', { remark: 'files not compared: 1 larger than 8 MB' }),
  ],
  pairs: [
    conflict('auth', 'main', ['a.ts']),
    conflict('auth', 'payments', ['a.ts', 'b\u202e.ts'], { includesUncommitted: true }),
    conflict('payments', 'schema', [], { problem: 'they have no commit in common' }),
  ],
  order: ['schema', 'payments', 'auth'],
  steps: [
    { worktree: 'schema', why: 'merges without conflict' },
    { worktree: 'payments', why: 'its tasks depend on schema' },
    { worktree: 'auth', why: 'conflicts with main, which must be merged into it first' },
  ],
}

const stateWith = (radar: Radar | null, columns = 80): ConsoleState => {
  const state = initialState('2026-01-30T14:22:33.000Z')
  return { ...state, radar, view: { ...state.view, size: { columns, rows: 24 } } }
}

const overlay = (draft: Partial<RadarOverlay> = {}): RadarOverlay => ({
  kind: 'radar',
  row: 0,
  column: 0,
  top: 0,
  pair: null,
  ...draft,
})

/** The visible lines, including the cursor's mark. */
const shown = (state: ConsoleState, over: RadarOverlay, height: number): readonly string[] =>
  radarWindow(state, over, height).lines.map(({ text, lead, cursor }) =>
    `${cursor ? '▸' : ' '}${lead ?? ''}${text}`.trimEnd(),
  )

describe("the radar's matrix", () => {
  test('has a row and a column for each worktree and one for the target, marked by letters, and the order below', () => {
    expect(shown(stateWith(seen), overlay({ column: 2 }), 20)).toEqual([
      '            T  1  2  3',
      '▸1 auth     C  – [U] ·',
      ' 2 payments ·  U  –  ?',
      ' 3 schema   ·  ·  ?  –',
      '',
      ' C conflict   U conflict with uncommitted changes',
      ' ? not comparable   · no conflict   – itself   T target',
      '',
      ' Suggested merge order',
      ' 1. schema    merges without conflict',
      ' 2. payments  its tasks depend on schema',
      ' 3. auth      conflicts with main, which must be merged into it first',
    ])
  })

  test('shows the conflict of the pair under the cursor', () => {
    const titleAt = (row: number, column: number): string =>
      radarWindow(stateWith(seen), overlay({ row, column }), 10).title
    expect(titleAt(0, 0)).toBe('Conflict radar: auth conflicts with main in a.ts')
    expect(titleAt(0, 2)).toBe(
      'Conflict radar: auth conflicts with payments in a.ts, b⟨202E⟩.ts, including uncommitted changes',
    )
    expect(titleAt(2, 1)).toBe('Conflict radar: schema does not conflict with auth')
    expect(titleAt(2, 3)).toBe('Conflict radar')
  })

  test('shows as many of 50 worktrees as fit, with the cursor among them and the column numbers on top', () => {
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

  test('reports that it is being computed, or has nothing to compare', () => {
    expect(shown(stateWith(null), overlay(), 5)).toEqual([' Checking…'])
    expect(shown(stateWith({ worktrees: [], pairs: [], order: [], steps: [] }), overlay(), 5)).toEqual([
      ' No worktrees to compare.',
    ])
  })
})

describe('a worktree in the radar', () => {
  test('is marked with its first conflict', () => {
    const state = stateWith(seen)
    expect(['auth', 'payments', 'schema', 'other'].map((name) => radarMark(state, name))).toEqual([
      'conflicts with main +1',
      'conflicts with auth +1',
      'cannot merge with payments',
      '',
    ])
  })

  test('has a warning before its approval', () => {
    expect(radarWarnings(stateWith(seen), 'payments')).toEqual([
      'payments conflicts with auth in a.ts, b\u202e.ts, including uncommitted changes.',
      'payments cannot be merged with schema: they have no commit in common.',
      'Tasks of payments depend on schema, which is not merged yet.',
    ])
    expect(radarWarnings(stateWith(seen), 'nowhere')).toEqual([])
    expect(radarWarnings(stateWith(null), 'payments')).toEqual([])
  })
})

describe("the radar's keys", () => {
  let fixture: Fixture
  let controller: TestController

  beforeEach(async () => {
    fixture = await openFixture()
    for (const name of ['auth', 'payments', 'schema']) await fixture.addWorktree(name)
    controller = await openController(fixture)
    controller.change(radarArrived(seen))
  })
  afterEach(() => fixture.close())

  const radar = (): RadarOverlay => controller.state().view.overlay as RadarOverlay

  test('include C, which opens it at the current worktree and its first conflict; arrows and hjkl move, and stop at the edges', () => {
    controller.press('4', 'j', 'C')
    expect(controller.mode()).toBe('radar')
    expect([radar().row, radar().column]).toEqual([1, 1])
    controller.press('l', 'right', 'l')
    expect(radar().column).toBe(3)
    controller.press('h', 'left', 'h', 'h', 'k', 'k')
    expect([radar().row, radar().column]).toEqual([0, 0])
  })

  test('lead down from the matrix to the order, across the lines in between, and back', () => {
    controller.press('C', 'j', 'j', 'j')
    expect(radar().row).toBe(8)
    controller.press('k')
    expect(radar().row).toBe(2)
    controller.press('G')
    expect(radar().row).toBe(10)
    controller.press('j')
    expect(radar().row).toBe(10)
    controller.press('g')
    expect(radar().row).toBe(0)
  })

  test('include enter, which opens the files of a pair; enter or esc goes back, and esc leaves', () => {
    controller.press('C', 'h', 'l', 'l', 'enter')
    expect(radar().pair).toEqual({ a: 'auth', b: 'payments', withTarget: false })
    controller.press('enter')
    expect([radar().pair, radar().column]).toEqual([null, 2])
    controller.press('enter', 'escape', 'escape')
    expect(controller.mode()).toBe('list')
  })

  test('include enter, which reports a missing conflict, and in the order opens the worktree', () => {
    controller.press('C', 'g', 'l', 'enter')
    expect(controller.notice()).toBe('Select a pair marked C, U or ?.')
    controller.press('l', 'l', 'enter')
    expect(controller.notice()).toBe('auth has no conflict with schema.')
    controller.press('G', 'enter')
    expect([controller.mode(), controller.state().view.pane, controller.state().view.worktree]).toEqual([
      'list',
      'worktrees',
      'auth',
    ])
  })

  test('the radar may lose worktrees under the cursor', () => {
    controller.press('C', 'G')
    controller.change(radarArrived({ ...seen, worktrees: [seen.worktrees[0]!], pairs: [], order: [], steps: [] }))
    controller.press('k', 'k')
    expect(radar().row).toBe(0)
    controller.press('l', 'l', 'enter')
    expect(controller.mode()).toBe('radar')
  })

  test('an unchanged radar stays the same object', () => {
    const before = controller.state()
    controller.change(radarArrived(structuredClone(seen)))
    expect(controller.state()).toBe(before)
  })
})

test('the console shows the mark in the pane, the files in the detail, the matrix and its files, and compares everything when the radar is opened', async () => {
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
  await screen.shows('Suggested merge order')
  await screen.shows('▸1 auth')
  await screen.press('l', 'l', '\r')
  await screen.shows('auth × payments')
  await screen.shows('Some changes are uncommitted.')
  await screen.press('\u001b')
  await screen.shows('[U]')
  await eventually(() => expect(asked.includes(true)).toBe(true))
  await screen.close()
  fixture.close()
})
