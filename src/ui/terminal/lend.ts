import { setImmediate as turn } from 'node:timers/promises'
import type { useApp } from 'ink'
import type { Rescue } from '../../contracts/console.ts'
import { mouseOff, mouseOn } from './mouse.ts'
import type { OutputTap } from './output.ts'

/** The terminal as Ink hands it out: how to leave it, for good or for the time of another program. */
export type Terminal = Pick<ReturnType<typeof useApp>, 'exit' | 'suspendTerminal'>

export interface Lender {
  /** True while another program, or the shell, has the terminal. */
  readonly isLent: () => boolean
  /** Lends the terminal to a program, takes it back and draws everything again. */
  readonly lend: (use: () => Promise<void>) => Promise<void>
}

export interface Lending {
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

/** Mouse reports. */
export interface Mouse {
  readonly without: (use: () => Promise<void>) => Promise<void>
  readonly end: () => void
}

/** Switches mouse reports on, and off while another program has the terminal and at any end. */
export const useMouse = (stdout: NodeJS.WriteStream, wanted: boolean): Mouse => {
  let on = wanted
  const write = (sequence: string): void => {
    if (on && stdout.writable) stdout.write(sequence)
  }
  const end = (): void => {
    write(mouseOff)
    on = false
    process.off('exit', end)
  }
  write(mouseOn)
  if (wanted) process.once('exit', end)
  return {
    without: async (use) => {
      write(mouseOff)
      try {
        await use()
      } finally {
        write(mouseOn)
      }
    },
    end,
  }
}
