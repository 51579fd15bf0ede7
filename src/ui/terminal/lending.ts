import { setImmediate as turn } from 'node:timers/promises'
import type { useApp } from 'ink'
import type { Rescue, StopJob } from '../../contracts/console.ts'
import { consoleText } from '../../text/panes.ts'
import type { Mouse } from './mouse.ts'
import type { OutputTap } from './output.ts'

// The terminal while another program has it: an editor, an agent's CLI, or the shell that stopped the console.

/** The terminal as Ink hands it out: how to leave it, for good or for the time of another program. */
export type Terminal = Pick<ReturnType<typeof useApp>, 'exit' | 'suspendTerminal'>

interface Lender {
  /** True while another program, or the shell, has the terminal. */
  readonly isLent: () => boolean
  /** Lends the terminal to a program, takes it back and draws everything again. */
  readonly lend: (use: () => Promise<void>) => Promise<void>
}

interface Lending {
  readonly stdin: NodeJS.ReadStream
  readonly output: OutputTap
  readonly terminal: () => Terminal | undefined
  readonly mouse: () => Mouse | undefined
  readonly rescue: () => Rescue | undefined
  /** Called if the terminal was closed while it was lent. */
  readonly gone: () => void
}

/** Errors of a closed terminal. */
const closed: ReadonlySet<unknown> = new Set(['EIO', 'EBADF', 'ENXIO'])

export const makeLender = ({ stdin, output, terminal, mouse, rescue, gone }: Lending): Lender => {
  let lent = false
  const given = async (use: () => Promise<void>): Promise<void> => {
    // No output of aiswarm may follow the first words of the other program.
    await output.read()
    await letGo(stdin)
    output.lend()
    rescue()?.lent()
    try {
      await use()
    } finally {
      rescue()?.held()
      output.takeBack()
    }
  }
  return {
    isLent: () => lent,
    lend: async (use) => {
      const taken = terminal()
      if (!taken || lent) return
      lent = true
      try {
        await taken.suspendTerminal(() => mouse()?.without(() => given(use)) ?? given(use))
      } catch (error) {
        // A closed terminal cannot be restored, and no later read or write would detect it.
        if (!closed.has((error as NodeJS.ErrnoException).code)) throw error
        gone()
      } finally {
        lent = false
      }
    },
  }
}

/**
 * Leaves the terminal to another program, after Ink has released it. Without the pause Node keeps waiting for input: if
 * the other program is quicker to read a line, Node's own read blocks this whole process until the next one.
 */
const letGo = async (stdin: NodeJS.ReadStream): Promise<void> => {
  await turn()
  stdin.pause()
  // Node stops a moment later; a read requested before would be stopped with it.
  await turn()
}

interface Jobs {
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
