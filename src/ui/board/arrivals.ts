import { boardColumns } from '../../domain/columns.ts'
import { keep, keepRows } from '../same.ts'
import { type ConsoleState, looking, type Transition } from '../state.ts'
import { intoColumn, selectRow, withLeft } from './movement.ts'
import type { ColumnWindow, TreeWindow } from './state.ts'

// What was read of the columns and the tree, as transitions. Rows that say the same stay the same objects.

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
    // On the way to a column that has any, and where there is none, the columns that one comes from are those one may stay in.
    return aside ? { ...arrived, shapes: state.shapes } : arrived
  }

/** `isGone` says of a selection whether it is in the tree no more, wherever one looks; `near` is what is selected then. */
export const treeArrived =
  (next: TreeWindow, isGone: (task: number) => boolean = () => false, near: number | null = null): Transition =>
  (state) => {
    const old = state.shapes.tree
    const tree = keep(old, { ...next, rows: keepRows(old?.rows ?? [], next.rows, ({ task }) => task.id) })!
    const arrived = tree === old ? state : { ...state, shapes: { ...state.shapes, tree } }
    const { jump, as } = state.view.shape
    if (as !== 'tree') return arrived
    const { task } = state.view
    // Where the filter finds nothing, no key may act on what nobody sees.
    if (tree.rows.length === 0) return task === null ? arrived : looking(() => ({ task: null }))(arrived)
    if (jump?.of === 'tree') return selectRow(arrived, landing(tree.rows.length, jump.to, jump.by))
    if (task !== null && !isGone(task)) return arrived
    return selectRow(
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

/** Where a jump leads, with the steps that were made since it was begun. */
const landing = (rows: number, to: 'first' | 'last', by = 0): number => Math.max(0, Math.min(rows - 1, (to === 'last' ? rows - 1 : 0) + by))

/** Selects what was asked for before it was read. */
const jumped = (state: ConsoleState): ConsoleState => {
  const { jump, as } = state.view.shape
  if (as !== 'columns') return state
  if (!jump || jump.of === 'tree') return withLeft(state)
  const { of, to, by } = jump
  if (typeof to === 'object') return intoColumn(state, boardColumns.indexOf(of), to.by, to.row)
  const tasks = state.shapes.columns.find(({ column }) => column === of)?.tasks ?? []
  const task = tasks[landing(tasks.length, to, by)]
  return looking(({ shape }) => ({ ...(task ? { task: task.id } : {}), shape: { ...shape, jump: null } }))(state)
}
