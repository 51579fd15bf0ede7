import type { Pace } from '../../../operations/screens/pace.ts'
import type { SessionReport } from '../../../operations/sessions/report.ts'
import { layoutOf } from '../../core/layout.ts'
import { changingView, type ConsoleState, type Transition } from '../../core/state.ts'

/** The shown parts: all of them as far as they fit, or one part in the whole room. */
const plotParts = ['all', 'rates', 'burn-down', 'lanes'] as const
type PlotPart = (typeof plotParts)[number]

export interface PlotsOverlay {
  readonly kind: 'plots'
  readonly part: PlotPart
  /** The first visible lane. */
  readonly top: number
}

export interface PlotContents {
  /** Null while the plots are closed, or before they were read. */
  readonly report: SessionReport | null
  /** Null if the header has no room for it. */
  readonly pace: Pace | null
  /** True for ASCII only, if the terminal's locale supports no more. */
  readonly plain: boolean
}

export const noPlots: PlotContents = { report: null, pace: null, plain: false }

/** The columns from which the header has room for the pace, and the number of its bars. */
export const PACE_COLUMNS = 200
export const PACE_BARS = 12

export const plotsOverlay: PlotsOverlay = { kind: 'plots', part: 'all', top: 0 }

/** Lines inside the borders of each part. A screen that is too small for all of them shows one at a time. */
export interface PlotLayout {
  readonly as: 'beside' | 'stacked' | 'one'
  readonly part: PlotPart
  readonly rates: number
  readonly burnDown: number
  readonly lanes: number
}

/** `lines`: all available lines, including the borders. */
export const plotLayout = (columns: number, lines: number, part: PlotPart): PlotLayout => {
  const whole = { rates: lines - 2, burnDown: lines - 2, lanes: lines - 2 }
  if (part !== 'all') return { as: 'one', part, ...whole }
  if (columns >= 110 && lines >= 24) {
    const rates = Math.floor((lines - 3) * 0.62)
    return { as: 'beside', part, rates, burnDown: lines - 3 - rates, lanes: lines - 2 }
  }
  if (lines >= 17) {
    const rest = lines - 4 - 5
    return { as: 'stacked', part, rates: 5, burnDown: Math.floor(rest / 2), lanes: Math.ceil(rest / 2) }
  }
  return { as: 'one', part: 'rates', ...whole }
}

/** The legend and the axis belong to the lanes. */
export const lanesThatFit = (layout: PlotLayout): number => Math.max(1, layout.lanes - 2)

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
