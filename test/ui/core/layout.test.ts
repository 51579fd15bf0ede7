import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { widthOf } from '../../../components/base/fit.ts'
import { instant } from '../../../src/domain/words/time.ts'
import { foldedAgents } from '../../../src/ui/core/folded-agents.ts'
import { kindOf, layoutOf, roomsIn, roomsShown, topFor } from '../../../src/ui/core/layout.ts'
import { needsOf, TASK } from '../../../src/ui/core/pane-needs.ts'
import { type ConsoleState, type Pane, panes } from '../../../src/ui/core/state.ts'
import { rangeNote, rowAtTop, rowsIn, saysReason } from '../../../src/ui/panes/list.ts'
import { resized } from '../../../src/ui/panes/movement.ts'
import { shownAgents } from '../../../src/ui/panes/sorting.ts'
import { initialState } from '../../../src/ui/store.ts'

test('the size of the terminal determines the layout', () => {
  expect(kindOf(200, 50)).toBe('wide')
  expect(kindOf(100, 30)).toBe('wide')
  expect(kindOf(120, 36)).toBe('narrow')
  expect(kindOf(80, 24)).toBe('narrow')
  expect(kindOf(60, 15)).toBe('small')
  expect(kindOf(120, 12)).toBe('small')
  expect(kindOf(39, 24)).toBe('none')
  expect(kindOf(20, 5)).toBe('none')
})

test('panes and their borders fit into the body at every size', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 1, max: 120 }),
      fc.constantFrom(...panes),
      fc.nat(20),
      (columns, rows, pane, taken) => {
        const { kind, rooms, body } = layoutOf(columns, rows, pane, Math.min(taken, Math.max(0, rows - 4)))
        const heights = Object.values(rooms).map((room) => room.height)
        expect(heights.every((height) => height >= 1)).toBe(true)
        const used =
          kind === 'wide'
            ? rooms.board
              ? rooms.board.height + rooms.agents!.height + 3
              : 0
            : heights.length === 0
              ? 0
              : heights.reduce((sum, n) => sum + n + 1, 1)
        expect(used + Math.min(taken, body)).toBeLessThanOrEqual(body)
        if (rows > 4 && kind === 'small' && taken === 0) expect(rooms[pane]).toBeDefined()
      },
    ),
  )
})

test('the selected row is always visible, and the list scrolls no further than necessary', () => {
  expect(topFor(0, 5, 10, 100)).toBe(0)
  expect(topFor(0, 10, 10, 100)).toBe(1)
  expect(topFor(50, 49, 10, 100)).toBe(49)
  expect(topFor(95, 99, 10, 100)).toBe(90)
  expect(topFor(3, 0, 10, 2)).toBe(0)
  fc.assert(
    fc.property(fc.nat(500), fc.nat(499), fc.integer({ min: 1, max: 60 }), (top, selected, height) => {
      const shown = topFor(top, selected, height, 500)
      return shown <= selected && selected < shown + height && shown >= 0 && shown <= Math.max(0, 500 - height)
    }),
  )
})

test('panes are beside each other on a low screen only if rows of the lists would be cut', () => {
  expect([kindOf(120, 30, 26), kindOf(120, 30, 27), kindOf(99, 30, 27)]).toEqual(['narrow', 'wide', 'narrow'])
  expect([kindOf(140, 30, 10), kindOf(120, 32, 100)]).toEqual(['wide', 'narrow'])
})

type Board = ConsoleState['board']

const tasks = (count: number, titleOf: (n: number) => string): Board['tasks'] =>
  Array.from({ length: count }, (_, n) => ({
    id: n + 1,
    title: titleOf(n + 1),
    status: 'pending',
    blockedBy: [],
    assignedAgentId: n === 0 ? 'implementer-12' : null,
  })) as unknown as Board['tasks']

const agents = (live: number, ended: number): Board['agents'] =>
  Array.from({ length: live + ended }, (_, n) => ({
    id: `implementer-${n + 1}`,
    status: n < ended ? 'terminated' : 'active',
    launchError: null,
    left: [],
  })) as unknown as Board['agents']

const worktrees = (count: number): Board['worktrees'] =>
  Array.from({ length: count }, (_, n) => ({ name: `worktree-${n + 1}` })) as unknown as Board['worktrees']

const boards: Readonly<Record<string, Partial<Board>>> = {
  empty: {},
  '3 tasks': { tasks: tasks(3, (n) => `Bake bread ${n}`), agents: agents(2, 0), worktrees: worktrees(2) },
  '40 tasks': { tasks: tasks(40, (n) => `Bake bread ${n}`), agents: agents(3, 0), worktrees: worktrees(6) },
  'long titles': { tasks: tasks(6, (n) => `Bake the bread of the day ${n} as people of the town know it`) },
  '20 agents of which 13 ended': { tasks: tasks(8, String), agents: agents(7, 13), worktrees: worktrees(3) },
  'wide characters': { tasks: tasks(5, (n) => `東京の天気を毎朝しらべて画面に出す ${n}`), agents: agents(2, 3) },
}

const sizes = [
  [200, 50],
  [160, 40],
  [120, 36],
  [120, 30],
  [100, 26],
  [80, 24],
  [60, 15],
  [40, 10],
] as const

const stateOf = (board: Partial<Board>, columns: number, rows: number): ConsoleState => {
  const empty = initialState(instant(0))
  const view = { ...empty.view, agent: board.agents?.at(-1)?.id ?? null }
  return resized(columns, rows)({ ...empty, loaded: true, view, board: { ...empty.board, ...board } })
}

const cases = Object.entries(boards).flatMap(([name, board]) =>
  sizes.map(([columns, rows]) => ({ name, columns, rows, state: stateOf(board, columns, rows) })),
)

describe('the layout', () => {
  it.each(cases)('fills $columns×$rows exactly with panes for $name', ({ columns, rows, state }) => {
    const rooms = Object.values(roomsIn(state))
    const { body } = layoutOf(columns, rows, 'board')
    const lefts = [...new Set(rooms.map(({ left }) => left))]
    for (const left of lefts) {
      const column = rooms.filter((room) => room.left === left)
      expect(column.reduce((sum, { height }) => sum + height + 1, 1)).toBe(body)
      expect(Math.min(...column.map(({ height }) => height))).toBeGreaterThan(0)
    }
    expect(lefts.reduce((sum, left) => sum + rooms.find((room) => room.left === left)!.width + 2, 0)).toBe(columns)
  })

  it.each(cases.filter(({ columns }) => columns >= 120))(
    'cuts no title and no name of $name at $columns×$rows',
    ({ state }) => {
      const { board, agents: list } = roomsIn(state)
      const longest = Math.max(0, ...state.board.tasks.map(({ title }) => widthOf(title)))
      expect(board!.width).toBeGreaterThanOrEqual(TASK + 'implementer-12'.length + longest)
      expect(list!.width).toBeGreaterThanOrEqual(62)
    },
  )

  it.each(cases.filter(({ columns }) => columns >= 80))(
    'cuts no rows of $name at $columns×$rows while another list has empty lines',
    ({ state }) => {
      const rooms = roomsIn(state)
      const { shown, folded } = foldedAgents(state)
      const needs = {
        board: state.board.tasks.length + 1,
        agents: shown.length + (folded > 0 ? 2 : 1),
        worktrees: state.board.worktrees.length + 1,
      }
      for (const [pane, lines] of Object.entries(needs) as ['board' | 'agents' | 'worktrees', number][]) {
        if (rooms[pane]!.height >= lines) continue
        const column = Object.entries(rooms).filter(([, { left }]) => left === rooms[pane]!.left)
        for (const [other, { height }] of column)
          if (other !== 'log') expect([other, height]).toEqual([other, Math.min(height, needs[other as 'board'] + 1)])
      }
    },
  )

  it('leaves the log the columns that the titles do not need', () => {
    const rooms = roomsIn(stateOf(boards['3 tasks']!, 200, 50))
    expect(rooms.log!.width).toBeGreaterThan(90)
    expect(roomsIn(stateOf(boards['long titles']!, 200, 50)).log!.width).toBeLessThan(rooms.log!.width)
  })

  it('has no line for a reason while no task can have one', () => {
    const all = tasks(3, (n) => `Bake bread ${n}`)
    const ended = (status: 'completed' | 'failed'): ConsoleState =>
      stateOf({ tasks: all.map((task) => ({ ...task, status: task.id === 3 ? status : 'completed' })) }, 80, 24)
    const [done, failed] = [ended('completed'), ended('failed')]
    expect([done, failed].map((state) => saysReason(state, 78, 6))).toEqual([false, true])
    expect([done, failed].map((state) => rowsIn(state, 'board', 78, 6))).toEqual([5, 4])
  })

  it('shows one pane at 60×15 and at 40×10', () => {
    for (const [columns, rows] of [
      [60, 15],
      [40, 10],
    ] as const)
      expect(Object.keys(roomsIn(stateOf(boards['3 tasks']!, columns, rows)))).toEqual(['board'])
  })
})

describe('ended agents', () => {
  const state = stateOf(boards['20 agents of which 13 ended']!, 200, 50)

  it('are folded into one line', () => {
    expect(foldedAgents(state)).toMatchObject({ folded: 13, shown: { length: 7 } })
    expect(roomsIn(state).agents!.height).toBe(9)
  })

  it('are counted even if the board has read only the latest of them', () => {
    expect(foldedAgents({ ...state, board: { ...state.board, endedAgents: 40 } })).toMatchObject({
      folded: 40,
      shown: { length: 7 },
    })
  })

  it('are shown in a row each if the person wants', () => {
    expect(foldedAgents({ ...state, view: { ...state.view, unfolded: true } })).toMatchObject({ folded: 0 })
  })

  it('stay while they are selected, or if one left a problem', () => {
    const [first, ...rest] = state.board.agents
    const troubled = [{ ...first!, launchError: 'no such file' }, ...rest]
    expect(foldedAgents({ ...state, board: { ...state.board, agents: troubled } }).folded).toBe(12)
    expect(foldedAgents({ ...state, view: { ...state.view, agent: first!.id } }).folded).toBe(12)
  })

  it('hide none that work while one of them is selected and keys act elsewhere', () => {
    const [ended, ...rest] = state.board.agents.filter(({ status }) => status === 'terminated')
    const working = state.board.agents.filter(({ status }) => status !== 'terminated')
    const board = { ...state.board, agents: [ended!, ...rest, ...working] }
    const selected = { ...state, board, view: { ...state.view, agent: ended!.id } }
    expect(shownAgents(selected)[rowAtTop(selected, 'agents', 1)]!.id).toBe(working[0]!.id)
    const focused = { ...selected, view: { ...selected.view, about: 'agents' as const } }
    expect(shownAgents(focused)[rowAtTop(focused, 'agents', 1)]!.id).toBe(ended!.id)
  })
})

describe('rows that a long notice takes', () => {
  const lists = ['board', 'agents', 'worktrees'] as const
  const visible = (state: ConsoleState, noticed: number) =>
    lists.map((pane) => {
      const room = roomsShown(state, noticed)[pane]
      return room ? rowsIn(state, pane, room.width, room.height) : 0
    })

  it.each(cases)('are counted in the title for $name at $columns×$rows', ({ state }) => {
    const all = [state.board.tasks.length, foldedAgents(state).shown.length, state.board.worktrees.length]
    for (const noticed of [0, 1, 2]) {
      const rooms = roomsShown(state, noticed)
      for (const [at, pane] of lists.entries())
        if (rooms[pane] && visible(state, noticed)[at]! < all[at]!)
          expect(rangeNote(state, pane, rooms[pane])).toMatch(/^\d+–\d+ of \d+$/)
    }
  })

  it.each(cases)('are none of $name at $columns×$rows while the panes have empty lines or a log', ({ state }) => {
    const [before, after] = [visible(state, 0), visible(state, 1)]
    const rooms = roomsIn(state)
    const lefts = new Set(Object.values(rooms).map(({ left }) => left))
    for (const left of lefts) {
      const column = lists.filter((pane) => rooms[pane]?.left === left)
      const gives = (rooms.log?.left === left && rooms.log.height > 1) || column.some((pane) => isRoomy(state, pane))
      const cut = column.filter((pane) => after[lists.indexOf(pane)]! < before[lists.indexOf(pane)]!)
      if (gives) expect(cut.filter((pane) => !isRoomy(state, pane))).toEqual([])
    }
  })

  const isRoomy = (state: ConsoleState, pane: Pane): boolean =>
    roomsIn(state)[pane]!.height > needsOf(state)[pane].lines

  it('count the ended agents whose line has no room', () => {
    const state = stateOf({ tasks: tasks(3, String), agents: agents(1, 5) }, 80, 24)
    const room = { left: 1, top: 5, width: 78, height: 2 }
    expect(rangeNote(state, 'agents', room)).toBe('1–1 of 6')
    expect(rangeNote(state, 'agents', { ...room, height: 3 })).toBe('')
  })
})

describe('rows that are cut', () => {
  it('are counted beside the title', () => {
    const state = stateOf(boards['40 tasks']!, 80, 24)
    const { board } = roomsIn(state)
    expect(rangeNote(state, 'board', board)).toBe(`1–${board!.height - 2} of 40`)
    expect(rangeNote(stateOf(boards['3 tasks']!, 80, 24), 'board', board)).toBe('')
  })
})

describe('the reason of the selected row', () => {
  it('has a line of its own where the titles leave no room', () => {
    expect(saysReason(stateOf(boards['3 tasks']!, 80, 24), 78, 8)).toBe(true)
    expect(saysReason(stateOf(boards['3 tasks']!, 200, 50), 120, 20)).toBe(false)
  })
})
