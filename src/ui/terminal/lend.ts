import { setImmediate as turn } from 'node:timers/promises'
import { mouseOff, mouseOn } from './mouse.ts'

/**
 * Leaves the terminal to another program, once Ink has let go of it. Without the pause Node keeps waiting for input: where
 * the other program is quicker to read a line, Node's own read blocks this whole process until the next one.
 */
export const letGo = async (stdin: NodeJS.ReadStream): Promise<void> => {
  await turn()
  stdin.pause()
}

/** Switches the reports of the mouse on, and off while another program has the terminal and at the end, however that comes. */
export const useMouse = (stdout: NodeJS.WriteStream, wanted: boolean): { readonly without: (use: () => Promise<void>) => Promise<void>; readonly end: () => void } => {
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
