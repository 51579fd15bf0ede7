import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import type { StoreApi } from 'zustand/vanilla'
import { type Dependency, searchCriticalPath } from '../../domain/task/dependencies.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import { readBoard, readTaskWindow } from '../../operations/screens/board.ts'
import { readColumns } from '../../operations/screens/columns.ts'
import { readDependencyTree, readOpenDependencies, readStems } from '../../operations/screens/dependency-tree.ts'
import { findTasks } from '../../operations/screens/search.ts'
import { runsOut, visibleColumns } from '../core/board-window.ts'
import type { ConsoleOptions } from '../core/controller.ts'
import { boardAnswered, boardArrived, boardMissed } from '../core/reducers.ts'
import { type BoardShape, type ConsoleState, isSameJump, type Jump, type Transition } from '../core/state.ts'
import { debounced, throttled } from '../core/timers.ts'
import { columnsArrived, criticalArrived, treeArrived } from '../panes/board.ts'
import { type FoundTree, makeFoundTree } from '../panes/filtered-tree.ts'
import { rowsThatFit } from '../panes/list.ts'
import { found, makeMatches, type Matches, SPAN } from '../panes/matches.ts'
import type { Reading } from './reading.ts'

// Reads the board: the list around the selection, the columns, the tree and its critical path.

/** Milliseconds between two reads of the board. */
const OFTEN = 100

/** Pages that are read at the target of a jump: keys may move on before the other rows arrive. */
const PAGES = 4

/** The rows of the panes; `then` is called when they are there. */
export const startBoard = (
  { connection: { core, actor }, state: read, change, careful }: Reading,
  then: () => void,
) => {
  const readNow = careful(
    async () => {
      await reads()
      change(boardAnswered)
    },
    (refusal) => change(boardMissed(refusal)),
  )
  const reads = async (): Promise<void> => {
    const { around, filter, jump } = read().view
    if (jump !== null && filter === '') return jumped(around)
    const wanted = (): boolean => read().view.filter === filter
    const window = filter === '' ? undefined : await matches.window(filter, around, wanted)
    if (!wanted()) return
    const next = await perform(
      core,
      readBoard,
      { around, ...(window ? { where: filter, among: window.among } : {}) },
      actor,
    )
    change(
      boardArrived(window ? { ...next, moreBefore: window.moreBefore, moreAfter: window.moreAfter } : next, around),
    )
    if (filter === '') change(found(null))
    then()
  }
  const board = throttled(OFTEN, readNow)
  /** A jump waits only for the rows that it makes visible; the others are read after them. A sorted board is sorted among all rows that are read. */
  const jumped = async (around: number): Promise<void> => {
    const state = read()
    const reach = Math.min(100, PAGES * rowsThatFit(state, 'board'))
    const rows = await perform(
      core,
      readTaskWindow,
      { around, ...(state.view.sorts.board === undefined ? { before: reach, after: reach } : {}) },
      actor,
    )
    change((state) => found(null)(boardArrived({ ...state.board, ...rows }, around)(state)))
    behind.ask()
  }
  const behind = debounced(60, 400, board.ask)
  const matches = makeMatches(
    (where, from) => perform(core, findTasks, { where, from, span: SPAN }, actor),
    (now) => change(found(now)),
    () => board.ask(),
  )
  return { readNow, board, matches, stop: () => [board, behind, matches].forEach(({ stop }) => stop()) }
}

/** Milliseconds between two readings of the same rows, and between two searches for the critical path. */
const often = { rows: 100, path: 3000 } as const

/** Reads the board's columns, or its tree, while they are on the screen; nothing while the board is a list. Gives what stops it. */
export const startBoardFeed = (
  { connection, watch }: Pick<ConsoleOptions, 'connection' | 'watch'>,
  store: StoreApi<ConsoleState>,
  careful: (work: () => Promise<void>) => () => Promise<boolean>,
  matches: Pick<Matches, 'pieces' | 'watch'>,
): (() => void) => {
  const change = (transition: Transition): void => store.setState(transition, true)
  const tree = makeFoundTree((from, span) => perform(connection.core, readStems, { from, span }, connection.actor))
  const shape = (): ConsoleState['view']['shape'] => store.getState().view.shape

  /** Drops rows that were read before the person jumped elsewhere, because they would not contain the selected task. */
  const arrived = (as: BoardShape, jump: Jump | null, transition: Transition): void => {
    if (shape().as !== as) return
    if (isSameJump(shape().jump, jump)) change(transition)
    else rows.hurry()
  }
  const reading: ShapeReading = { connection, state: store.getState, matches, tree, arrived }
  const rows = throttled(
    often.rows,
    careful(() => readRows(reading)),
  )
  const path = throttled(
    often.path,
    careful(() =>
      readPath(
        connection,
        () => shape().as === 'tree',
        (ids) => change(criticalArrived(ids)),
      ),
    ),
  )
  const both = (): void => {
    if (shape().as === 'list') return
    rows.ask()
    if (shape().as === 'tree') path.ask()
  }
  matches.watch(() => {
    if (shape().as === 'tree') rows.ask()
  })
  const stops = [
    rows.stop,
    path.stop,
    watch(both),
    store.subscribe((after, before) => {
      if (after.view.shape.as === 'list') return
      if (after.preferences.arrangement !== before.preferences.arrangement) return rows.ask()
      if (after.view === before.view) return
      if (after.view.shape.as !== before.view.shape.as || after.view.filter !== before.view.filter) return both()
      if (after.view.shape.jump !== before.view.shape.jump && after.view.shape.jump !== null) return rows.hurry()
      if (after.view.task !== before.view.task && runsOut(after)) return rows.hurry()
      // The wheel was turned over a column in which nothing is selected.
      if (after.view.task === before.view.task && after.view.shape.tops !== before.view.shape.tops) return rows.hurry()
      if (after.view.size !== before.view.size || after.view.shape.left !== before.view.shape.left) rows.hurry()
    }),
  ]
  return () => stops.forEach((stop) => stop())
}

/** Rows that are read beyond those on the screen, to each side: more are asked for before one comes to their end. */
const AROUND = 20

interface ShapeReading {
  readonly connection: Connection
  readonly state: () => ConsoleState
  readonly matches: Pick<Matches, 'pieces'>
  readonly tree: FoundTree
  readonly arrived: (as: BoardShape, jump: Jump | null, transition: Transition) => void
}

interface Room {
  readonly before: number
  readonly after: number
}

/** Reads the rows of the columns or of the tree around the selected task. */
const readRows = async (reading: ShapeReading): Promise<void> => {
  const { connection, arrived } = reading
  const { core, actor } = connection
  const state = reading.state()
  const { as, tops, jump } = state.view.shape
  const where = state.view.filter
  const fit = rowsThatFit(state, 'board')
  const room = { before: Math.min(200, fit + AROUND), after: Math.min(200, fit + AROUND + 10) }
  if (as === 'columns') {
    const columns = visibleColumns(state).map((column) => ({ column, around: tops[column] }))
    const next = await perform(
      core,
      readColumns,
      { columns, selected: jump === null ? state.view.task : null, where, ...room },
      actor,
    )
    arrived(as, jump, columnsArrived(next))
  }
  if (as !== 'tree') return
  const at = jump?.of === 'tree' ? jump.to : state.view.task
  if (where !== '') return readFound(reading, where, at, room, jump)
  const { rows, ...more } = await perform(core, readDependencyTree, { at: at ?? 'first', ...room }, actor)
  arrived(as, jump, treeArrived({ rows: rows.map((row) => ({ ...row, matches: true })), ...more }))
}

/** Reads the filtered tree; its first rows arrive once one piece of the board was searched. */
const readFound = async (
  { connection: { core, actor }, state, matches, tree, arrived }: ShapeReading,
  where: string,
  at: number | 'first' | 'last' | null,
  { before, after }: Room,
  jump: Jump | null,
): Promise<void> => {
  const pieces = matches.pieces(where)
  if (pieces === undefined || pieces.length === 0) return
  await tree.follow(where, pieces)
  // Where nothing was selected it is something that was found.
  const near = typeof at === 'string' ? tree.end(at) : at !== null && tree.has(at) ? at : tree.nearest(at ?? 0)
  const window = near === null ? { rows: [], moreBefore: false, moreAfter: false } : tree.window(near, before, after)
  const among = window.rows.map(({ id }) => id)
  const { tasks } =
    among.length === 0
      ? { tasks: [] }
      : await perform(core, readTaskWindow, { around: 1, before: 0, after: among.length, among }, actor)
  const views = new Map(tasks.map((task) => [task.id, task]))
  const rows = window.rows.flatMap(({ id, ...row }) => (views.has(id) ? [{ task: views.get(id)!, ...row }] : []))
  if (state().view.filter !== where) return
  arrived(
    'tree',
    jump,
    treeArrived({ ...window, rows }, (task) => !tree.has(task), near),
  )
}

/** Most dependencies that are gone through for the critical path, a page of 500 at a time with the keys between. */
const MOST = 200_000

/** All of them have to be seen, which takes long on a large board: no more than this part of the time is spent on it. */
const SHARE = 20

/** The critical path, while `wanted` holds. */
const readPath = async (
  { core, actor }: Connection,
  wanted: () => boolean,
  arrived: (ids: readonly number[]) => void,
): Promise<void> => {
  if (!wanted()) return
  const began = performance.now()
  const all: Dependency[] = []
  for (let page = await perform(core, readOpenDependencies, {}, actor), seen = 500; ; seen += 500) {
    all.push(...page.dependencies)
    if (page.next === null || seen >= MOST || !wanted()) break
    // Between two pages the keys have their turn.
    await turn()
    page = await perform(core, readOpenDependencies, { after: page.next }, actor)
  }
  const search = searchCriticalPath(all)
  let found = search.next()
  for (; !found.done && wanted(); found = search.next()) await turn()
  if (found.done) arrived(found.value)
  // Asked for meanwhile it begins anew after that.
  await pause(SHARE * (performance.now() - began), undefined, { ref: false })
}
