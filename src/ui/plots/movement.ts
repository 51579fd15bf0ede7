import { layoutOf } from '../layout.ts'
import { type ConsoleState, looking, type Transition } from '../state.ts'
import { lanesThatFit, type PlotLayout, plotLayout, type PlotPart, plotParts, type PlotsOverlay } from './state.ts'

const layoutIn = ({ view: { size, pane } }: ConsoleState, part: PlotPart): PlotLayout => plotLayout(size.columns, layoutOf(size.columns, size.rows, pane).body, part)

/** The next part, or the one before. Where there is no room for all at once, that is passed over. */
export const turnPlots =
  (by: 1 | -1): Transition =>
  (state) => {
    const { overlay } = state.view
    if (overlay?.kind !== 'plots') return state
    const parts = plotParts.filter((part) => part !== 'all' || layoutIn(state, 'all').as !== 'one')
    const now = Math.max(0, parts.indexOf(overlay.part))
    return looking(() => ({ overlay: { ...overlay, part: parts[(now + by + parts.length) % parts.length]! } }))(state)
  }

/** Scrolls the lanes. */
export const moveLanes = (state: ConsoleState, overlay: PlotsOverlay, by: number): ConsoleState => {
  const last = Math.max(0, (state.plots.report?.lanes.length ?? 0) - lanesThatFit(layoutIn(state, overlay.part)))
  const top = Math.max(0, Math.min(last, Math.min(last, overlay.top) + by))
  return looking((view) => ({ overlay: { ...view.overlay!, ...overlay, top } }))(state)
}
