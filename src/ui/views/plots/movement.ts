import { layoutOf } from '../../core/layout.ts'
import { type ConsoleState, changingView, type Transition } from '../../core/state.ts'
import { lanesThatFit, type PlotLayout, plotLayout, type PlotPart, plotParts, type PlotsOverlay } from './state.ts'

const layoutIn = ({ view: { size, pane } }: ConsoleState, part: PlotPart): PlotLayout =>
  plotLayout(size.columns, layoutOf(size.columns, size.rows, pane).body, part)

/** Selects the next or previous part; skips the view of all parts if they do not fit. */
export const turnPlots =
  (by: 1 | -1): Transition =>
  (state) => {
    const { overlay } = state.view
    if (overlay?.kind !== 'plots') return state
    const parts = plotParts.filter((part) => part !== 'all' || layoutIn(state, 'all').as !== 'one')
    const now = Math.max(0, parts.indexOf(overlay.part))
    return changingView(() => ({ overlay: { ...overlay, part: parts[(now + by + parts.length) % parts.length]! } }))(
      state,
    )
  }

/** Scrolls the lanes. */
export const moveLanes = (state: ConsoleState, overlay: PlotsOverlay, by: number): ConsoleState => {
  const last = Math.max(0, (state.plots.report?.lanes.length ?? 0) - lanesThatFit(layoutIn(state, overlay.part)))
  const top = Math.max(0, Math.min(last, Math.min(last, overlay.top) + by))
  return changingView((view) => ({ overlay: { ...view.overlay!, ...overlay, top } }))(state)
}
