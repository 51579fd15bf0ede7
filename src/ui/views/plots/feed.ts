import { setImmediate as turn } from 'node:timers/promises'
import type { StoreApi } from 'zustand/vanilla'
import { perform } from '../../../operations/door/perform.ts'
import { readPace } from '../../../operations/screens/read-pace.ts'
import { readSessionPart, reportParts } from '../../../operations/sessions/read-session-report.ts'
import type { SessionReport } from '../../../operations/sessions/session-report.ts'
import type { ConsoleOptions } from '../../../contracts/console.ts'
import { repeat } from '../../core/timers.ts'
import { keep } from '../../core/same.ts'
import type { ConsoleState, Overlay } from '../../core/state.ts'
import { PACE_COLUMNS, type PlotContents } from './state.ts'

/** Milliseconds between two reads of the session for the plots, and of the pace in the header. */
const often = { report: 1000, pace: 5000, paceAlone: 60_000 } as const

/** A long session takes long to aggregate: the plots get at most this fraction of the time. */
const SHARE = 20

/** Reads the data of visible plots. Returns a function that stops it. */
export const startPlotFeed = (
  { connection: { core, actor } }: Pick<ConsoleOptions, 'connection'>,
  store: StoreApi<ConsoleState>,
  careful: (work: () => Promise<void>) => () => Promise<void>,
): (() => void) => {
  const arrived = (part: Partial<PlotContents>): void => {
    const { plots } = store.getState()
    const next = keep(plots, { ...plots, ...part })
    if (next !== plots) store.setState({ plots: next })
  }
  /** Reads a part at a time; keys are processed in between. */
  const readReport = async (): Promise<SessionReport> => {
    let read: Partial<SessionReport> = {}
    for (const part of reportParts) {
      const { session, at } = read
      read = { ...read, ...(await perform(core, readSessionPart, { part, ...(session && at ? { sessionId: session.id, at } : {}) }, actor)) }
      await turn()
    }
    return read as SessionReport
  }
  let due = { report: 0, pace: 0 }
  let paced = { version: -1, until: 0 }
  const report = careful(async () => {
    if (!showsPlots(store.getState().view.overlay) || performance.now() < due.report) return
    const began = performance.now()
    const next = store.getState().board.session === null ? null : await readReport()
    due = { ...due, report: Math.max(began + often.report - 50, performance.now() + SHARE * (performance.now() - began)) }
    if (showsPlots(store.getState().view.overlay)) arrived({ report: next })
  })
  const pace = careful(async () => {
    if (store.getState().view.size.columns < PACE_COLUMNS) return arrived({ pace: null })
    if (performance.now() < due.pace) return
    // Without a commit only the time axis changes.
    const version = core.store.version()
    if (version === paced.version && performance.now() < paced.until) return
    paced = { version, until: performance.now() + often.paceAlone }
    due = { ...due, pace: performance.now() + often.pace - 50 }
    arrived({ pace: await perform(core, readPace, {}, actor) })
  })
  const stops = [
    repeat(often.report, report),
    repeat(often.report, pace),
    store.subscribe(({ view: { overlay, size } }, { view: before }) => {
      if (size.columns >= PACE_COLUMNS && before.size.columns < PACE_COLUMNS) {
        due = { ...due, pace: 0 }
        paced = { version: -1, until: 0 }
        void pace()
      }
      if (overlay === before.overlay) return
      const [now, then] = [showsPlots(overlay), showsPlots(before.overlay)]
      if (!now && then) arrived({ report: null })
      if (!now || then) return
      due = { ...due, report: 0 }
      void report()
    }),
  ]
  return () => stops.forEach((stop) => stop())
}

/** True if the plots are open, also below another view. */
const showsPlots = (overlay: Overlay | null | undefined): boolean => (!overlay ? false : overlay.kind === 'plots' || showsPlots(overlay.behind))
