import { Refusal } from '../../domain/refusal.ts'
import { archiveMove } from './archive.ts'
import { phaseName, places, workingLogPath } from './names.ts'
import { alone, type ProjectPlace, rewriteAt, textAt } from './place.ts'
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
    const archive = log === undefined ? null : archiveMove(place, path)
    if (completed !== undefined) rewriteAt(place, places.summary, completed)
    return { phase, archive, lines: log === undefined ? 0 : log.split('\n').filter((line) => line !== '').length, moved: completed !== undefined }
  })
}
