import type { Desk } from './desk.ts'
import { selectWorktree } from './movement.ts'
import { closeAll, open } from './overlays.ts'
import { cellAt, columnsOf, columnUnder, orderFrom, radarRows, radarWindow, type RadarOverlay } from './radar-sheet.ts'
import { worktreeAtHand } from './selection.ts'
import { type ConsoleState, looking, type Transition } from './state.ts'
import { radarText } from '../text/integration.ts'

// The matrix of conflicts under the keys.

/** Opens at the worktree at hand, at the first thing that it conflicts with. */
export const openRadar = (desk: Desk): void =>
  desk.change((state) => {
    const name = worktreeAtHand(state)?.name
    const row = Math.max(0, state.radar?.worktrees.findIndex((worktree) => worktree.name === name) ?? 0)
    const columns = Array.from({ length: columnsOf(state.radar?.worktrees ?? []) }, (_, column) => column)
    const column = Math.max(
      0,
      columns.findIndex((each) => cellAt(state, row, each)?.conflict !== undefined),
    )
    return open({ kind: 'radar', row, column, top: 0, pair: null })(state)
  })

/** One row further, or as many as asked; the empty lines and headings below the matrix are passed over. */
export const moveRow = (state: ConsoleState, overlay: RadarOverlay, by: number, height: number): ConsoleState => {
  const worktrees = state.radar?.worktrees.length ?? 0
  const last = Math.max(0, radarRows(state, overlay).length - 1)
  const wanted = Math.min(last, Math.max(0, overlay.row + by))
  const order = orderFrom(worktrees)
  const between = wanted >= worktrees && wanted < order
  const row = !between ? wanted : by > 0 ? Math.min(last, order) : Math.max(0, worktrees - 1)
  const moved = { ...overlay, row }
  return looking(() => ({ overlay: { ...moved, top: radarWindow(state, moved, height).top } }))(state)
}

/** Selects the cell of the matrix, or the step of the order, that stands on a line below the numbers of the columns; on a name it is the row's. Nothing scrolls. */
export const selectInRadar = (state: ConsoleState, overlay: RadarOverlay, line: number, column: number, height: number): ConsoleState => {
  if (state.radar === null || overlay.pair !== null || line < 1 || line >= height) return state
  const { worktrees, steps } = state.radar
  const { top } = radarWindow(state, overlay, height)
  const row = top + line - 1
  if (row < worktrees.length) return looking(() => ({ overlay: { ...overlay, row, top, column: columnUnder(state, overlay, column) ?? overlay.column } }))(state)
  return steps[row - orderFrom(worktrees.length)] ? looking(() => ({ overlay: { ...overlay, row, top } }))(state) : state
}

/** One column to the side. */
export const moveColumn =
  (by: number): Transition =>
  (state) => {
    const { overlay } = state.view
    if (overlay?.kind !== 'radar' || overlay.pair !== null) return state
    const column = Math.min(columnsOf(state.radar?.worktrees ?? []) - 1, Math.max(0, overlay.column + by))
    return looking(() => ({ overlay: { ...overlay, column } }))(state)
  }

/** On a cell: its files. In the order: the worktree in its pane. From the files back again. */
export const enterCell = (desk: Desk): void => {
  const state = desk.state()
  const { overlay } = state.view
  if (overlay?.kind !== 'radar') return
  if (overlay.pair !== null) return desk.change(looking((view) => ({ overlay: view.overlay?.behind ?? null })))
  const step = state.radar?.steps[overlay.row - orderFrom(state.radar.worktrees.length)]
  if (step) {
    desk.change(closeAll)
    return desk.change(selectWorktree(step.worktree))
  }
  const cell = cellAt(state, overlay.row, overlay.column)
  if (!cell) return desk.tell(radarText.moveToPair, 'refused')
  if (!cell.conflict) return desk.tell(cell.a.brings ? radarText.mergesByItself(cell.a.name, cell.b) : radarText.worktreeHoldsNothing(cell.a.name, cell.a.target))
  desk.change(open({ ...overlay, top: 0, pair: { a: cell.a.name, b: cell.b, withTarget: cell.withTarget } }))
}
