// Numbers as characters, one column per value. `plain` is for terminals whose locale supports only ASCII.

const blocks = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const
const plainBlocks = [' ', '.', ':', '|'] as const

/**
 * Bars with the heights of their values, from the top line to the bottom. A value above zero stays visible, however
 * small it is.
 */
export const barRows = (values: readonly number[], most: number, height: number, plain: boolean): readonly string[] => {
  const marks = plain ? plainBlocks : blocks
  const full = marks.length - 1
  const levels = values.map((value) =>
    value <= 0 || most <= 0 ? 0 : Math.max(1, Math.round(Math.min(1, value / most) * height * full)),
  )
  return Array.from({ length: height }, (_, row) => {
    const below = (height - 1 - row) * full
    return levels.map((level) => marks[Math.min(full, Math.max(0, level - below))]!).join('')
  })
}

/** Bits of a braille character by the row of a dot in its left and its right half. */
const dots = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const

/** A line through values, two per column, connected by vertical parts; in ASCII one value per column. */
export const lineRows = (
  values: readonly number[],
  most: number,
  height: number,
  plain: boolean,
): readonly string[] => {
  const [across, down] = plain ? [1, 1] : [2, 4]
  const width = Math.ceil(values.length / across)
  const last = height * down - 1
  const yOf = (value: number): number => Math.round((1 - Math.min(1, most <= 0 ? 0 : Math.max(0, value / most))) * last)
  const cells = Array.from({ length: height }, () => Array.from({ length: width }, () => 0))
  values.forEach((value, x) => {
    const y = yOf(value)
    const before = x === 0 ? y : yOf(values[x - 1]!)
    // Connects to the previous value, without its own dot.
    const from = Math.min(y, before < y ? before + 1 : before)
    const to = Math.max(y, before > y ? before - 1 : before)
    for (let at = Math.min(from, to); at <= Math.max(from, to); at++) {
      cells[Math.floor(at / down)]![Math.floor(x / across)]! |= plain ? 1 : dots[at % 4]![x % 2]!
    }
  })
  return cells.map((row) =>
    row.map((bits) => (bits === 0 ? ' ' : plain ? '*' : String.fromCodePoint(0x2800 + bits))).join(''),
  )
}
