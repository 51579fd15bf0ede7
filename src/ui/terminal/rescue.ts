import type { Rescue } from '../../contracts/console.ts'
import { mouseOff } from './mouse.ts'

/**
 * Ends everything that was interrupted: a frame, line wrapping, the mouse, bracketed paste, colours, the alternate
 * screen and the hidden cursor.
 */
const restore = `\u001b\\\u001b[?2026l\u001b[?7h${mouseOff}\u001b[?2004l\u001b[0m\u001b[?1049l\u001b[?25h`

/** Escaped for printf, and printable in a list of processes. */
const printed = restore.replaceAll('\\', '\\\\').replaceAll('\u001b', '\\033')

export interface Rescuing {
  readonly rescue: () => Rescue | undefined
  /** Called after the first frame. */
  readonly begin: () => void
  /** Called when this process itself restores the terminal, however it ends. */
  readonly end: () => void
}

/** Milliseconds after the first frame, so that it does not wait. */
const LATER = 50

/**
 * Makes sure that the terminal is restored even if this process is killed. `unread`: the restoring bytes may not have
 * been read yet.
 */
export const keepRescue = (start: ((restore: string) => Rescue) | undefined, unread: () => boolean): Rescuing => {
  let rescue: Rescue | undefined
  let timer: NodeJS.Timeout | undefined
  const end = (): void => {
    clearTimeout(timer)
    process.off('exit', end)
    if (!unread()) rescue?.done()
  }
  return {
    rescue: () => rescue,
    begin: () => {
      timer = setTimeout(() => (rescue = start?.(printed)), LATER)
      timer.unref()
      process.once('exit', end)
    },
    end,
  }
}
