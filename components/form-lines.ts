import type { SafeText } from '../src/domain/safe-text.ts'
import { fold, tail, widthOf } from './fit.ts'
import type { CommandField } from './CommandForm.tsx'
import type { FormField } from './Form.tsx'

// What stands in which line of a form: counted here once, for who draws it, who makes room for it and who clicks on it.

/** What is filled in. */
export interface CommandWords {
  readonly fields: readonly CommandField[]
  /** The field that is being filled in. */
  readonly at: number
  /** The line that does the same. */
  readonly line: SafeText
  readonly hint: SafeText
}

/** A line of a field: itself, what of its hint has no room beside it, or what is wrong with it. */
export interface FormLine {
  readonly index: number
  readonly says: 'field' | 'hint' | 'wrong'
  readonly text: string
}

export interface CommandLines {
  readonly rows: readonly FormLine[]
  readonly line: readonly string[]
  readonly hints: readonly string[]
}

/** As many lines of the fields as there is room for, with those of the one that is filled in; a hint that has no room below it is cut beside it. */
export const commandLines = (words: CommandWords, width: number, height: number): CommandLines => {
  const whole = rowsOf(words, width)
  const line = lineRows(words.line, width, height - 1)
  const hints = hintRows(words.hint, width, height - line.length - Math.min(whole.length, LEAST_ROWS))
  const room = Math.max(1, height - line.length - hints.length)
  const all = whole.filter(({ index }) => index === words.at).length <= room ? whole : whole.filter(({ says }) => says !== 'hint')
  const first = all.findIndex(({ index }) => index === words.at)
  const last = all.findLastIndex(({ index }) => index === words.at)
  const top = Math.max(0, Math.min(last - room + 1, all.length - room, Math.max(0, first)))
  return { rows: all.slice(top, top + room), line, hints }
}

/** Lines inside the border where there is room for all. */
export const commandHeight = (words: CommandWords, width: number): number =>
  rowsOf(words, width).length + lineRows(words.line, width, MOST_ROWS).length + hintRows(words.hint, width, Infinity).length

/** Of a form that is no command: the first field that is seen, how many of them, and the keys below. */
export interface FieldLines {
  readonly from: number
  readonly room: number
  readonly hints: readonly string[]
}

export const fieldLines = (count: number, at: number, hint: SafeText, width: number, height: number): FieldLines => {
  const hints = hintRows(hint, width, height - Math.min(count, LEAST_ROWS))
  const room = Math.min(count, Math.max(1, height - hints.length))
  return { from: Math.max(0, at - room + 1), room, hints }
}

/** Columns of the labels. */
export const labelsIn = (fields: readonly FormField[]): number => Math.max(0, ...fields.map(({ label }) => widthOf(label))) + 1

/** Of a value as much as its field has room for; the end of a long text is where one types. */
export const valueIn = ({ value, choice }: Pick<FormField, 'value' | 'choice'>, labels: number, width: number): string =>
  choice && value === '' ? '–' : tail(value, Math.max(4, width - labels - 8))

/** A hint below the fields, broken only between its keys, in at most so many lines. */
export const hintRows = (hint: SafeText, width: number, most: number): readonly string[] => {
  const lines: string[] = []
  for (const part of hint.split(GAP)) {
    const before = lines.at(-1)
    if (before !== undefined && widthOf(before + GAP + part) <= width - 3) lines[lines.length - 1] = before + GAP + part
    else lines.push(part)
  }
  return lines.slice(0, Math.max(0, most))
}

/** The line that does the same, whole as long as three rows hold it. */
const lineRows = (line: SafeText, width: number, height: number): readonly string[] => {
  const rows = fold(line, Math.max(1, width - 5))
  const most = Math.max(1, Math.min(MOST_ROWS, height))
  return rows.length <= most ? rows : [...rows.slice(0, most - 1), rows.slice(most - 1).join(' ')]
}

const MOST_ROWS = 3

/** Lines of fields before which the keys below them stand back. */
const LEAST_ROWS = 4

/** What stands between two keys of a hint. */
const GAP = '   '

const rowsOf = ({ fields, at }: CommandWords, width: number): readonly FormLine[] => {
  const labels = labelsIn(fields)
  const room = Math.max(1, width - 4 - labels)
  return fields.flatMap((field, index): readonly FormLine[] => [
    { index, says: 'field', text: '' },
    ...(index === at && !hasHintBeside(field, labels, width) ? fold(field.hint, room).map((text) => ({ index, says: 'hint', text }) as const) : []),
    ...(field.wrong === null ? [] : fold(field.wrong, Math.max(1, room - 2)).map((text, row) => ({ index, says: 'wrong', text: `${row === 0 ? '✗' : ' '} ${text}` }) as const)),
  ])
}

/** Whether the whole hint of the field that is filled in stands in its line. */
const hasHintBeside = (field: FormField, labels: number, width: number): boolean =>
  labels + 2 + widthOf(valueIn(field, labels, width)) + (field.choice ? 4 : 1) + 1 + widthOf(field.hint) <= width - 2
