import stringWidth from 'string-width'
import { safeLines, safeText } from '../../domain/words/safe-text.ts'

export type Cell = string | number | null

/** Rows under headings, aligned by display width; `numbers` are the headings whose column is aligned to the right. */
export const columns = (
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  numbers: readonly string[] = [],
): string => {
  const cells = [headings, ...rows].map((row) => row.map(shown))
  const widths = headings.map((_, at) => Math.max(...cells.map((row) => stringWidth(row[at] ?? ''))))
  return cells
    .map((row) =>
      row
        .map((cell, at) => padded(cell, widths[at]!, numbers.includes(headings[at]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** `name  value` lines; rows without a value are omitted. */
export const pairs = (rows: readonly (readonly [name: string, value: Cell])[]): string => {
  const present = rows.filter(([, value]) => value !== null && value !== '')
  const width = Math.max(0, ...present.map(([name]) => name.length))
  return present.map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}`).join('\n')
}

/** A list under a heading; empty if it has no lines. */
export const section = (heading: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : [heading, ...lines.map((line) => `  ${line}`)].join('\n')

/** Joins parts with an empty line; empty parts are omitted. */
export const blocks = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n')

/** Lines of at most so many columns, broken between words; the rest of a line is indented by two more columns. */
export const folded = (text: string, width: number | undefined): string =>
  width === undefined
    ? text
    : text
        .split('\n')
        .flatMap((line) => (stringWidth(line) <= width ? [line] : foldedLine(line, width)))
        .join('\n')

const foldedLine = (line: string, width: number): readonly string[] => {
  const indent = /^ */.exec(line)![0]
  const lines: string[] = []
  let last = indent
  for (const word of line.slice(indent.length).split(/ (?=\S)/)) {
    const longer = last.trim() === '' ? `${last}${word}` : `${last} ${word}`
    if (stringWidth(longer) <= width || last.trim() === '') last = longer
    else {
      lines.push(last.trimEnd())
      last = `${indent}  ${word}`
    }
  }
  return [...lines, last]
}

/** Foreign text of several lines. */
export const paragraph = (text: string): string => safeLines(text).join('\n')

/** `one task`, `2 tasks` */
export const counted = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

const shown = (cell: Cell): string => (cell === null || cell === '' ? '–' : safeText(String(cell)))

const padded = (cell: string, width: number, right: boolean): string => {
  const space = ' '.repeat(Math.max(0, width - stringWidth(cell)))
  return right ? space + cell : cell + space
}
