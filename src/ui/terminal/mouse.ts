// Mouse reports of a terminal (xterm's modes 1002 and 1006): button, column and row, pressed or released.

/**
 * Reports buttons, the wheel, and movements with a pressed button, where the terminal knows them. With shift held the
 * terminal selects text as usual.
 */
export const mouseOn = '\u001b[?1000h\u001b[?1002h\u001b[?1006h'
export const mouseOff = '\u001b[?1006l\u001b[?1002l\u001b[?1000l'

/** A press of the left button, its movement and its release, or a turn of the wheel; column and row count from 0. */
export interface MouseEvent {
  readonly kind: 'click' | 'pull' | 'release' | 'wheel-up' | 'wheel-down'
  readonly column: number
  readonly row: number
}

/** One report, or undefined for irrelevant ones: other buttons, buttons with shift, alt or ctrl. */
export const mouseEventOf = (button: number, column: number, row: number, pressed: boolean): MouseEvent | undefined => {
  const kind = pressed ? kinds[button] : button === 0 ? 'release' : undefined
  return kind && { kind, column: column - 1, row: row - 1 }
}

const kinds: Readonly<Record<number, MouseEvent['kind']>> = { 0: 'click', 32: 'pull', 64: 'wheel-up', 65: 'wheel-down' }

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
