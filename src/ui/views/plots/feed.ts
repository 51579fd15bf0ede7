import { setImmediate as turn } from 'node:timers/promises'
import type { StoreApi } from 'zustand/vanilla'
import { perform } from '../../../operations/perform/perform.ts'
import { readPace } from '../../../operations/screens/pace.ts'
import { readSessionPart, reportParts, type SessionReport } from '../../../operations/sessions/report.ts'
import type { ConsoleOptions } from '../../core/controller.ts'
import type { Connection } from '../../../operations/perform/core.ts'
import { repeat } from '../../core/timers.ts'
import { keep } from '../../core/structural-sharing.ts'
import type { ConsoleState, Overlay } from '../../core/state.ts'
import { PACE_COLUMNS, type PlotContents } from './plots.ts'

/** Milliseconds between two reads of the session for the plots, and of the pace in the header. */
const often = { report: 1000, pace: 5000, paceAlone: 60_000 } as const

/** A long session takes long to aggregate: the plots get at most this fraction of the time. */
const SHARE = 20

/** Reads the data of visible plots. Returns a function that stops it. */
export const startPlotFeed = (
  { connection }: Pick<ConsoleOptions, 'connection'>,
  store: StoreApi<ConsoleState>,
  careful: (work: () => Promise<void>) => () => Promise<boolean>,
): (() => void) => {
  const arrived = (part: Partial<PlotContents>): void => {
    const { plots } = store.getState()
    const next = keep(plots, { ...plots, ...part })
    if (next !== plots) store.setState({ plots: next })
  }
  const report = makeReport(connection, store.getState, arrived)
  const pace = makePace(connection, store.getState, arrived)
  const [askReport, askPace] = [careful(report.read), careful(pace.read)]
  const stops = [
    repeat(often.report, askReport),
    repeat(often.report, askPace),
    store.subscribe(({ view: { overlay, size } }, { view: before }) => {
      if (size.columns >= PACE_COLUMNS && before.size.columns < PACE_COLUMNS) {
        pace.reset()
        void askPace()
      }
      if (overlay === before.overlay) return
      const [now, then] = [showsPlots(overlay), showsPlots(before.overlay)]
      if (!now && then) arrived({ report: null })
      if (!now || then) return
      report.reset()
      void askReport()
    }),
  ]
  return () => stops.forEach((stop) => stop())
}

/** A source of a part of the plots; `reset` makes it due. */
interface PlotSource {
  readonly read: () => Promise<void>
  readonly reset: () => void
}

type Arrived = (part: Partial<PlotContents>) => void

/** The report of the session, while the plots are open. */
const makeReport = (connection: Connection, state: () => ConsoleState, arrived: Arrived): PlotSource => {
  let due = 0
  const read = async (): Promise<void> => {
    if (!showsPlots(state().view.overlay) || performance.now() < due) return
    const began = performance.now()
    const next = state().board.session === null ? null : await readReport(connection)
    due = Math.max(began + often.report - 50, performance.now() + SHARE * (performance.now() - began))
    if (showsPlots(state().view.overlay)) arrived({ report: next })
  }
  return { read, reset: () => void (due = 0) }
}

/** Reads a part at a time; keys are processed in between. */
const readReport = async ({ core, actor }: Connection): Promise<SessionReport> => {
  let read: Partial<SessionReport> = {}
  for (const part of reportParts) {
    const { session, at } = read
    read = {
      ...read,
      ...(await perform(
        core,
        readSessionPart,
        { part, ...(session && at ? { sessionId: session.id, at } : {}) },
        actor,
      )),
    }
    await turn()
  }
  return read as SessionReport
}

/** The pace in the header, if the header has room for it. */
const makePace = ({ core, actor }: Connection, state: () => ConsoleState, arrived: Arrived): PlotSource => {
  let due = 0
  let last = { version: -1, until: 0 }
  const read = async (): Promise<void> => {
    if (state().view.size.columns < PACE_COLUMNS) return arrived({ pace: null })
    if (performance.now() < due) return
    // Without a commit only the time axis changes.
    const version = core.store.version()
    if (version === last.version && performance.now() < last.until) return
    due = performance.now() + often.pace - 50
    arrived({ pace: await perform(core, readPace, {}, actor) })
    last = { version, until: performance.now() + often.paceAlone }
  }
  const reset = (): void => {
    due = 0
    last = { version: -1, until: 0 }
  }
  return { read, reset }
}

/** True if the plots are open, also below another view. */
const showsPlots = (overlay: Overlay | null | undefined): boolean =>
  !overlay ? false : overlay.kind === 'plots' || showsPlots(overlay.behind)
