import type { StoreApi } from 'zustand/vanilla'
import type { Radar } from '../../../contracts/observations.ts'
import type { Connection } from '../../../operations/perform/core.ts'
import { radarText } from '../../../text/integration.ts'
import type { Controller } from '../../core/controller.ts'
import { closeAll, open } from '../../core/overlays.ts'
import { worktreeAtHand } from '../../core/selection.ts'
import { changingView, type ConsoleState, type Transition } from '../../core/state.ts'
import { keep } from '../../core/structural-sharing.ts'
import { repeat, throttled } from '../../core/timers.ts'
import { selectWorktree } from '../../panes/movement.ts'
import { cellAt, columnsOf, columnUnder, orderFrom, type RadarOverlay, radarRows, radarWindow } from './lines.ts'

// Key handlers of the conflict matrix.

/** Opens at the selected worktree, at its first conflict. */
export const openRadar = (controller: Controller): void =>
  controller.change((state) => {
    const name = worktreeAtHand(state)?.name
    const row = Math.max(0, state.radar?.worktrees.findIndex((worktree) => worktree.name === name) ?? 0)
    const columns = Array.from({ length: columnsOf(state.radar?.worktrees ?? []) }, (_, column) => column)
    const column = Math.max(
      0,
      columns.findIndex((each) => cellAt(state, row, each)?.conflict !== undefined),
    )
    return open({ kind: 'radar', row, column, top: 0, pair: null })(state)
  })

/** Moves by one row, or by `by` rows; skips the empty lines and headings below the matrix. */
export const moveRow = (state: ConsoleState, overlay: RadarOverlay, by: number, height: number): ConsoleState => {
  const worktrees = state.radar?.worktrees.length ?? 0
  const last = Math.max(0, radarRows(state, overlay).length - 1)
  const wanted = Math.min(last, Math.max(0, overlay.row + by))
  const order = orderFrom(worktrees)
  const between = wanted >= worktrees && wanted < order
  const row = !between ? wanted : by > 0 ? Math.min(last, order) : Math.max(0, worktrees - 1)
  const moved = { ...overlay, row }
  return changingView(() => ({ overlay: { ...moved, top: radarWindow(state, moved, height).top } }))(state)
}

/**
 * Selects the cell of the matrix, or the step of the order, on a line below the numbers of the columns; a name selects
 * its row. Nothing scrolls.
 */
export const selectInRadar = (
  state: ConsoleState,
  overlay: RadarOverlay,
  line: number,
  column: number,
  height: number,
): ConsoleState => {
  if (state.radar === null || overlay.pair !== null || line < 1 || line >= height) return state
  const { worktrees, steps } = state.radar
  const { top } = radarWindow(state, overlay, height)
  const row = top + line - 1
  if (row < worktrees.length)
    return changingView(() => ({
      overlay: { ...overlay, row, top, column: columnUnder(state, overlay, column) ?? overlay.column },
    }))(state)
  return steps[row - orderFrom(worktrees.length)]
    ? changingView(() => ({ overlay: { ...overlay, row, top } }))(state)
    : state
}

/** Moves by one column. */
export const moveColumn =
  (by: number): Transition =>
  (state) => {
    const { overlay } = state.view
    if (overlay?.kind !== 'radar' || overlay.pair !== null) return state
    const column = Math.min(columnsOf(state.radar?.worktrees ?? []) - 1, Math.max(0, overlay.column + by))
    return changingView(() => ({ overlay: { ...overlay, column } }))(state)
  }

/** Enter on a cell opens its files, in the order it selects the worktree in its pane, and from the files it returns. */
export const enterCell = (controller: Controller): void => {
  const state = controller.state()
  const { overlay } = state.view
  if (overlay?.kind !== 'radar') return
  if (overlay.pair !== null)
    return controller.change(changingView((view) => ({ overlay: view.overlay?.behind ?? null })))
  const step = state.radar?.steps[overlay.row - orderFrom(state.radar.worktrees.length)]
  if (step) {
    controller.change(closeAll)
    return controller.change(selectWorktree(step.worktree))
  }
  const cell = cellAt(state, overlay.row, overlay.column)
  if (!cell) return controller.tell(radarText.moveToPair, 'refused')
  if (!cell.conflict)
    return controller.tell(
      cell.a.brings
        ? radarText.mergesByItself(cell.a.name, cell.b)
        : radarText.worktreeHoldsNothing(cell.a.name, cell.a.target),
    )
  controller.change(open({ ...overlay, top: 0, pair: { a: cell.a.name, b: cell.b, withTarget: cell.withTarget } }))
}

/** Milliseconds between two scans; unchanged worktrees cost no process. */
const OFTEN = 3000

/** Keeps the radar's result; opening its matrix scans every worktree. Returns a function that ends it. */
export const startRadarFeed = (
  outside: Connection['outside'],
  store: StoreApi<ConsoleState>,
  careful: (work: () => Promise<void>) => () => Promise<boolean>,
): (() => void) => {
  let everything = false
  const feed = throttled(
    500,
    careful(async () => {
      const asked = everything
      everything = false
      const radar = await outside.radar({ everything: asked }).catch((error: unknown) => {
        everything ||= asked
        throw error
      })
      store.setState(radarArrived(radar), true)
    }),
  )
  const stops = [
    feed.stop,
    // After the first frame, because the radar is a large part of the program and is loaded for it.
    repeat(OFTEN, () => feed.ask(), 1000),
    store.subscribe(({ view: { overlay } }, { view: before }) => {
      if (overlay?.kind !== 'radar' || before.overlay?.kind === 'radar') return
      everything = true
      feed.ask()
    }),
  ]
  return () => stops.forEach((stop) => stop())
}

export const radarArrived =
  (next: Radar): Transition =>
  (state) => {
    const radar = keep(state.radar, next)
    return radar === state.radar ? state : { ...state, radar }
  }
