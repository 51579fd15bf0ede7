import type { Rescue } from './lend.ts'
import { mouseOff } from './mouse.ts'

/** Whatever was cut off, a frame that was begun, lines that do not wrap, the mouse, pastes in brackets, colours, the other screen and the hidden cursor. */
const restore = `\u001b\\\u001b[?2026l\u001b[?7h${mouseOff}\u001b[?2004l\u001b[0m\u001b[?1049l\u001b[?25h`

/** As printf writes it, and a list of processes can show it. */
const printed = restore.replaceAll('\\', '\\\\').replaceAll('\u001b', '\\033')

export interface Rescuing {
  readonly rescue: () => Rescue | undefined
  /** The first frame stands. */
  readonly begin: () => void
  /** The terminal is given back by this process itself, however it ends. */
  readonly end: () => void
}

/** Milliseconds behind the first frame, which is not to wait for it. */
const LATER = 50

/** Sees to it that the terminal is given back even if this process is killed. `unread`: what gives it back may not have been read yet. */
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
