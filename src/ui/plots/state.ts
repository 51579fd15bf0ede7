import type { Pace } from '../../operations/read-pace.ts'
import type { SessionReport } from '../../operations/read-session-report.ts'

/** From so many columns on the header has room for the pace, in so many bars each. */
export const PACE_COLUMNS = 200
export const PACE_BARS = 12

/** What is drawn: all of it as far as there is room, or one part in all the room there is. */
export const plotParts = ['all', 'rates', 'burn-down', 'lanes'] as const
export type PlotPart = (typeof plotParts)[number]

export interface PlotsOverlay {
  readonly kind: 'plots'
  readonly part: PlotPart
  /** The first lane that is seen. */
  readonly top: number
}

export interface PlotContents {
  /** Null while the plots are closed, or before they were read. */
  readonly report: SessionReport | null
  /** Null where the header has no room for it. */
  readonly pace: Pace | null
  /** Nothing but ASCII: what the locale of the terminal can show. */
  readonly plain: boolean
}

export const noPlots: PlotContents = { report: null, pace: null, plain: false }

export const plotsOverlay: PlotsOverlay = { kind: 'plots', part: 'all', top: 0 }

/** A locale that names another character set, or the one of a time before there were any. A terminal without a locale is given what the rest of the console gives it. */
export const isPlain = (environment: Readonly<Record<string, string | undefined>>): boolean => {
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || ''
  return locale !== '' && !/utf-?8/i.test(locale)
}

/** Lines inside the borders of each part. A screen that is too small for all of them shows one at a time. */
export interface PlotLayout {
  readonly as: 'beside' | 'stacked' | 'one'
  readonly part: PlotPart
  readonly rates: number
  readonly burnDown: number
  readonly lanes: number
}

/** `lines`: all there are, with the borders. */
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

/** The legend and the axis stand with the lanes. */
export const lanesThatFit = (layout: PlotLayout): number => Math.max(1, layout.lanes - 2)
