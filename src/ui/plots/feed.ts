import { setImmediate as turn } from 'node:timers/promises'
import type { StoreApi } from 'zustand/vanilla'
import { perform } from '../../operations/kernel/perform.ts'
import { readPace } from '../../operations/read-pace.ts'
import { readSessionPart, reportParts, type SessionReport } from '../../operations/read-session-report.ts'
import type { ConsoleOptions } from '../console-options.ts'
import { repeat } from '../pace.ts'
import { keep } from '../same.ts'
import type { ConsoleState, Overlay } from '../state.ts'
import { PACE_COLUMNS, type PlotContents } from './state.ts'

/** Milliseconds between two looks at the session while it is drawn, and at the pace that the header shows. */
const often = { report: 1000, pace: 5000, paceAlone: 60_000 } as const

/** A long session takes long to add up: no more than this part of the time is spent on it. */
const SHARE = 20

/** Reads what is drawn while it is drawn. Gives what stops it. */
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
  /** A part at a time, between which the keys have their turn. */
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
    // Where nothing is committed the bars only move on with the time.
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

/** True where the plots are open, also beneath something else. */
const showsPlots = (overlay: Overlay | null | undefined): boolean => (!overlay ? false : overlay.kind === 'plots' || showsPlots(overlay.behind))
