import { boardColumns } from '../../../domain/task/task.ts'
import { keep, keepRows } from '../../core/structural-sharing.ts'
import {
  changingView,
  type ColumnWindow,
  type ConsoleState,
  type Transition,
  type TreeWindow,
} from '../../core/state.ts'
import { intoColumn, selectOnBoard, withLeft } from './movement.ts'

// Transitions for columns and the tree. Unchanged rows stay the same objects.

export const columnsArrived =
  (next: readonly ColumnWindow[]): Transition =>
  (state) => {
    const columns = boardColumns.flatMap((column) => {
      const window = next.find((one) => one.column === column)
      const old = state.shapes.columns.find((one) => one.column === column)
      return window ? [keep(old, { ...window, tasks: keepRows(old?.tasks ?? [], window.tasks, ({ id }) => id) })!] : []
    })
    const arrived = jumped({ ...state, shapes: { ...state.shapes, columns } })
    const aside = typeof state.view.shape.jump?.to === 'object' && state.view.task === arrived.view.task
    // On the way to a column with tasks, and if there is none, the previous columns may be kept.
    return aside ? { ...arrived, shapes: state.shapes } : arrived
  }

/** `isGone` returns true if a selection is nowhere in the tree; `near` is selected instead. */
export const treeArrived =
  (next: TreeWindow, isGone: (task: number) => boolean = () => false, near: number | null = null): Transition =>
  (state) => {
    const old = state.shapes.tree
    const tree = keep(old, { ...next, rows: keepRows(old?.rows ?? [], next.rows, ({ task }) => task.id) })!
    const arrived = tree === old ? state : { ...state, shapes: { ...state.shapes, tree } }
    const { jump, as } = state.view.shape
    if (as !== 'tree') return arrived
    const { task } = state.view
    // If the filter matches nothing, no key may act on an invisible selection.
    if (tree.rows.length === 0) return task === null ? arrived : changingView(() => ({ task: null }))(arrived)
    if (jump?.of === 'tree') return selectOnBoard(arrived, landing(tree.rows.length, jump.to, jump.by))
    if (task !== null && !isGone(task)) return arrived
    return selectOnBoard(
      arrived,
      Math.max(
        0,
        tree.rows.findIndex((row) => row.task.id === near),
      ),
    )
  }

export const criticalArrived =
  (next: readonly number[]): Transition =>
  (state) => {
    const critical = keep(state.shapes.critical, next)
    return critical === state.shapes.critical ? state : { ...state, shapes: { ...state.shapes, critical } }
  }

/** The target of a jump, with the steps made since it began. */
const landing = (rows: number, to: 'first' | 'last', by = 0): number =>
  Math.max(0, Math.min(rows - 1, (to === 'last' ? rows - 1 : 0) + by))

/** Selects the row that was requested before it was read. */
const jumped = (state: ConsoleState): ConsoleState => {
  const { jump, as } = state.view.shape
  if (as !== 'columns') return state
  if (!jump || jump.of === 'tree') return withLeft(state)
  const { of, to, by } = jump
  if (typeof to === 'object') return intoColumn(state, boardColumns.indexOf(of), to.by, to.row)
  const tasks = state.shapes.columns.find(({ column }) => column === of)?.tasks ?? []
  const task = tasks[landing(tasks.length, to, by)]
  return changingView(({ shape }) => ({ ...(task ? { task: task.id } : {}), shape: { ...shape, jump: null } }))(state)
}
