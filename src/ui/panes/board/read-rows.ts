import type { Connection } from '../../../operations/perform/core.ts'
import { perform } from '../../../operations/perform/perform.ts'
import { readColumns } from '../../../operations/screens/columns.ts'
import { readDependencyTree } from '../../../operations/screens/dependency-tree.ts'
import { readTaskWindow } from '../../../operations/screens/board.ts'
import type { Matches } from './matches.ts'
import { rowsThatFit } from '../room.ts'
import type { BoardShape, ConsoleState, Jump, Transition } from '../../core/state.ts'
import { columnsArrived, treeArrived } from './reducers.ts'
import type { FoundTree } from './found-tree.ts'
import { visibleColumns } from '../../core/board-window.ts'

/** Rows that are read beyond those on the screen, to each side: more are asked for before one comes to their end. */
const AROUND = 20

export interface ShapeReading {
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
export const readRows = async (reading: ShapeReading): Promise<void> => {
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
