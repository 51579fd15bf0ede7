import { Refusal } from '../../domain/refusal.ts'
import { archiveMove } from './archive.ts'
import { phaseName, places, workingLogPath } from './names.ts'
import { alone, type ProjectPlace, readLedger, rewriteAt, textAt, writeLedger } from './place.ts'
import { withPhaseCompleted } from './summary.ts'

export interface CompletedPhase {
  readonly phase: string
  /** Where its working log is kept; null where it had none. */
  readonly archive: string | null
  readonly lines: number
  /** True where `summary.md` named the phase and now has it below Completed. */
  readonly moved: boolean
}

/** Ends a phase: its working log goes to the archive as it is, and its line in the summary below Completed. */
export const completePhase = (place: ProjectPlace, given: string): CompletedPhase => {
  const phase = phaseName(given)
  return alone(place, () => {
    const path = workingLogPath(phase)
    const log = textAt(place, path)
    const summary = textAt(place, places.summary)
    const completed = summary === undefined ? undefined : withPhaseCompleted(summary, phase)
    if (log === undefined && completed === undefined) {
      throw new Refusal('not_found', `Phase ${phase} has no working log and is not under way in ${places.summary}; there is nothing to complete.`)
    }
    // First the ledger: a crash in between leaves a log that nobody guards, and no alarm for one that was moved.
    const ledger = readLedger(place)
    if (ledger.logs?.[path]) writeLedger(place, { ...ledger, logs: Object.fromEntries(Object.entries(ledger.logs).filter(([known]) => known !== path)) })
    const archive = log === undefined ? null : archiveMove(place, path)
    if (completed !== undefined) rewriteAt(place, places.summary, completed)
    return { phase, archive, lines: log === undefined ? 0 : log.split('\n').filter((line) => line !== '').length, moved: completed !== undefined }
  })
}
