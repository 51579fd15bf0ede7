import { Refusal } from '../../domain/rules/refusal.ts'
import { archiveMove } from './store/archive.ts'
import { phaseName, places, workingLogPath } from './format/names.ts'
import { alone, type ProjectPlace, readLedger, rewriteAt, textAt, writeLedger } from './store/place.ts'
import { withPhaseCompleted } from './format/summary.ts'

export interface CompletedPhase {
  readonly phase: string
  /** The path of its archived working log; null if it had none. */
  readonly archive: string | null
  readonly lines: number
  /** True if `summary.md` listed the phase and now has it below Completed. */
  readonly moved: boolean
}

/** Completes a phase: moves its working log to the archive unchanged, and its line in the summary below Completed. */
export const completePhase = (place: ProjectPlace, given: string): CompletedPhase => {
  const phase = phaseName(given)
  return alone(place, () => {
    const path = workingLogPath(phase)
    const log = textAt(place, path)
    const summary = textAt(place, places.summary)
    const completed = summary === undefined ? undefined : withPhaseCompleted(summary, phase)
    if (log === undefined && completed === undefined) {
      throw new Refusal(
        'not_found',
        `Phase ${phase} has no working log and is not in progress in ${places.summary}; there is nothing to complete.`,
      )
    }
    // The ledger comes first: a crash in between leaves an unrecorded log rather than a false alarm about a moved one.
    const ledger = readLedger(place)
    if (ledger.logs?.[path])
      writeLedger(place, {
        ...ledger,
        logs: Object.fromEntries(Object.entries(ledger.logs).filter(([known]) => known !== path)),
      })
    const archive = log === undefined ? null : archiveMove(place, path)
    if (completed !== undefined) rewriteAt(place, places.summary, completed)
    return {
      phase,
      archive,
      lines: log === undefined ? 0 : log.split('\n').filter((line) => line !== '').length,
      moved: completed !== undefined,
    }
  })
}
