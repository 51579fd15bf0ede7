// Tracks the screen line by line, and writes each line at its own place, independent of the lines around it.

/** Between these sequences the terminal does not update the screen. */
export const frameBegins = '\u001b[?2026h'
export const frameEnds = '\u001b[?2026l'

/** A line that the terminal measures wider than aiswarm does is truncated at the edge, and moves no line below it. */
const noWrap = '\u001b[?7l'
const wrap = '\u001b[?7h'

const plain = '\u001b[0m'

/** Milliseconds after which a key causes the whole frame to be written, which removes output of other programs. */
const WHOLE = 10_000

export interface Canvas {
  /** The bytes that change the screen of so many rows to this frame; empty if it is already there. */
  readonly paint: (lines: readonly string[], rows: number) => string
  /** Marks the screen's content as unknown. */
  readonly forget: () => void
  /** Called for a key: the screen's content is trusted only for a limited time. */
  readonly touch: () => void
}

export const makeCanvas = (clock: () => number = () => performance.now()): Canvas => {
  let shown: readonly string[] | undefined
  let wholeAt = -Infinity
  return {
    paint: (all, rows) => {
      // If there are more lines than rows, the last ones are visible, as after scrolling.
      const lines = all.slice(-rows)
      if (shown && shown.length === lines.length && lines.every((line, row) => line === shown![row])) return ''
      const known = shown
      const below = lines.length < rows && known?.length !== lines.length ? `${place(lines.length)}\u001b[J` : ''
      const changed = lines.flatMap((line, row) => (known?.[row] === line ? [] : [`${place(row)}\u001b[K${line}`]))
      if (!known) wholeAt = clock()
      shown = lines
      return [
        frameBegins,
        noWrap,
        known ? '' : plain,
        ...changed,
        below,
        place(Math.min(lines.length, rows - 1)),
        wrap,
        frameEnds,
      ].join('')
    },
    forget: () => void (shown = undefined),
    touch: () => {
      if (clock() - wholeAt >= WHOLE) shown = undefined
    },
  }
}

const place = (row: number): string => `\u001b[${row + 1};1H`
