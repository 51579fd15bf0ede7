import type { StopJob } from '../../contracts/console.ts'
import type { Lender } from './lend.ts'
import { consoleText } from '../../text/panes.ts'

export interface Jobs {
  /** Ctrl-Z: returns the terminal to the shell until `fg`. */
  readonly suspend: () => void
  readonly end: () => void
}

/** Stops and continues as a shell's job, by Ctrl-Z and by signals. */
export const watchJobs = (
  lender: Lender,
  stopJob: StopJob | undefined,
  told: (sentence: string) => void,
  back: () => void,
): Jobs => {
  const failed = (error: unknown): void => told(error instanceof Error ? error.message : String(error))
  const suspend = (): void => {
    if (!stopJob) return
    let stopped = false
    void lender
      .lend(async () => void (stopped = await stopJob()))
      .then(() => {
        if (!stopped) told(consoleText.noShell)
        back()
      }, failed)
  }
  // A program that has the terminal meanwhile gets the signal too, and restores the terminal itself.
  const onStop = (): void => (lender.isLent() ? void stopJob?.({ alone: true }) : suspend())
  // After a stop that no program can handle, the shell has used the terminal: it must be set up again.
  const onContinue = (): void => void (lender.isLent() || lender.lend(async () => {}).then(back, failed))
  if (stopJob) {
    process.on('SIGTSTP', onStop)
    process.on('SIGCONT', onContinue)
  }
  return {
    suspend,
    end: () => {
      process.off('SIGTSTP', onStop)
      process.off('SIGCONT', onContinue)
    },
  }
}
