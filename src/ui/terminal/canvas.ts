// What stands on the screen, line by line: each stands at its own place, whatever came to the lines around it.

/** Between these the terminal shows nothing of what it reads. */
export const frameBegins = '\u001b[?2026h'
export const frameEnds = '\u001b[?2026l'

/** A line that the terminal takes for wider than we do ends at the edge, and pushes none of those below it down. */
const noWrap = '\u001b[?7l'
export const wrap = '\u001b[?7h'

const plain = '\u001b[0m'

/** Milliseconds after which a key has the frame written whole, so that nothing of what others have put on the screen stays. */
const WHOLE = 10_000

export interface Canvas {
  /** The bytes that make this frame of what stands there, on a screen of so many rows; none where it stands there. */
  readonly paint: (lines: readonly string[], rows: number) => string
  /** What stands there is not known. */
  readonly forget: () => void
  /** Somebody is there: what stands there is trusted no longer than a while. */
  readonly touch: () => void
}

export const makeCanvas = (clock: () => number = () => performance.now()): Canvas => {
  let shown: readonly string[] | undefined
  let wholeAt = -Infinity
  return {
    paint: (all, rows) => {
      // Of more than there is room for the end is seen, as where it scrolls.
      const lines = all.slice(-rows)
      if (shown && shown.length === lines.length && lines.every((line, row) => line === shown![row])) return ''
      const known = shown
      const below = lines.length < rows && known?.length !== lines.length ? `${place(lines.length)}\u001b[J` : ''
      const changed = lines.flatMap((line, row) => (known?.[row] === line ? [] : [`${place(row)}\u001b[K${line}`]))
      if (!known) wholeAt = clock()
      shown = lines
      return [frameBegins, noWrap, known ? '' : plain, ...changed, below, place(Math.min(lines.length, rows - 1)), wrap, frameEnds].join('')
    },
    forget: () => void (shown = undefined),
    touch: () => {
      if (clock() - wholeAt >= WHOLE) shown = undefined
    },
  }
}

const place = (row: number): string => `\u001b[${row + 1};1H`
