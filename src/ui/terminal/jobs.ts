import type { Lender } from './lend.ts'
import { consoleText } from '../../text/actions.ts'

/** Stops this process's job until it is brought back; false where it cannot be. */
export type StopJob = (options?: { readonly alone?: boolean }) => Promise<boolean>

export interface Jobs {
  /** Ctrl-Z: gives the terminal back to the shell until `fg`. */
  readonly suspend: () => void
  readonly end: () => void
}

/** Stops and goes on as a shell's job, by Ctrl-Z and by signals. */
export const watchJobs = (lender: Lender, stopJob: StopJob | undefined, told: (sentence: string) => void, back: () => void): Jobs => {
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
  // Who has the terminal meanwhile is asked to stop as well, and gives it back itself.
  const onStop = (): void => (lender.isLent() ? void stopJob?.({ alone: true }) : suspend())
  // Behind a stop that no program hears of, the shell has used the terminal: it is taken anew.
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
