import { setImmediate as turn } from 'node:timers/promises'
import type { Terminal } from '../App.tsx'
import { mouseOff, mouseOn } from './mouse.ts'
import type { OutputTap } from './output.ts'

/** Who gives the terminal back if this process is killed; told who has it. */
export interface Rescue {
  readonly lent: () => void
  readonly held: () => void
  readonly done: () => void
}

export interface Lender {
  /** True while another program, or the shell, has the terminal. */
  readonly isLent: () => boolean
  /** Leaves the terminal to whoever uses it, takes it back and draws everything anew. */
  readonly lend: (use: () => Promise<void>) => Promise<void>
}

export interface Lending {
  readonly stdin: NodeJS.ReadStream
  readonly output: OutputTap
  readonly terminal: () => Terminal | undefined
  readonly mouse: () => Mouse | undefined
  readonly rescue: () => Rescue | undefined
  /** The terminal was closed while it was lent. */
  readonly gone: () => void
}

/** What a terminal answers that is no more. */
const closed: ReadonlySet<unknown> = new Set(['EIO', 'EBADF', 'ENXIO'])

export const makeLender = ({ stdin, output, terminal, mouse, rescue, gone }: Lending): Lender => {
  let lent = false
  const given = async (use: () => Promise<void>): Promise<void> => {
    // Nothing of ours may come behind the first words of the other program.
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
        // It cannot be taken back, and nothing would be read or written any more that could tell.
        if (!closed.has((error as NodeJS.ErrnoException).code)) throw error
        gone()
      } finally {
        lent = false
      }
    },
  }
}

/**
 * Leaves the terminal to another program, once Ink has let go of it. Without the pause Node keeps waiting for input: where
 * the other program is quicker to read a line, Node's own read blocks this whole process until the next one.
 */
const letGo = async (stdin: NodeJS.ReadStream): Promise<void> => {
  await turn()
  stdin.pause()
  // Node stops a moment later; what is asked to read again before it would be stopped with it.
  await turn()
}

/** The reports of the mouse. */
export interface Mouse {
  readonly without: (use: () => Promise<void>) => Promise<void>
  readonly end: () => void
}

/** Switches the reports of the mouse on, and off while another program has the terminal and at the end, however that comes. */
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
