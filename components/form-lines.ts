import type { SafeText } from '../src/domain/safe-text.ts'
import { fold, tail, widthOf } from './fit.ts'

// What stands in which line of a form: counted here once, for who draws it, who makes room for it and who clicks on it.

export interface FormField {
  readonly label: SafeText
  readonly value: SafeText
  /** A choice is changed with the arrows, a text is typed. */
  readonly choice: boolean
  readonly hint: SafeText
  /** What is wrong with it. */
  readonly wrong: SafeText | null
}

/** What is filled in. */
export interface FormWords {
  /** What is answered, where the title has no room for it; empty where there is nothing. */
  readonly question: readonly SafeText[]
  /** The first line of it that is seen. */
  readonly from: number
  readonly fields: readonly FormField[]
  /** The field that is being filled in. */
  readonly at: number
  /** The line that does the same; null where there is none. */
  readonly line: SafeText | null
  readonly hint: SafeText
}

/** A line of a field: itself, what of its hint has no room beside it, or what is wrong with it. */
export interface FormLine {
  readonly index: number
  readonly says: 'field' | 'hint' | 'wrong'
  readonly text: string
}

export interface FormLines {
  /** The lines of the question that are seen, the first of them and how many there are. */
  readonly asked: readonly SafeText[]
  readonly askedFrom: number
  readonly askedOf: number
  readonly rows: readonly FormLine[]
  readonly line: readonly string[]
  readonly hints: readonly string[]
}

/** As many lines of the fields as there is room for, with those of the one that is filled in; a hint that has no room below it is cut beside it. */
export const formLines = (words: FormWords, width: number, height: number): FormLines => {
  const question = questionRows(words, width)
  const below = fieldRows(words, width, height - Math.min(question.length, leastAsked(height)))
  const room = Math.max(0, height - below.rows.length - below.line.length - below.hints.length)
  const askedFrom = Math.max(0, Math.min(words.from, question.length - room))
  return { asked: question.slice(askedFrom, askedFrom + room), askedFrom, askedOf: question.length, ...below }
}

/** Lines inside the border where there is room for all. */
export const formHeight = (words: FormWords, width: number): number =>
  questionRows(words, width).length + rowsOf(words, width).length + lineRows(words.line, width, MOST_ROWS).length + hintRows(words.hint, width, Infinity).length

/** Lines that a question keeps before its fields scroll; one is left to the field that is filled in. */
const leastAsked = (height: number): number => Math.min(height - 1, Math.max(2, Math.floor(height / 2)))

const questionRows = ({ question }: FormWords, width: number): readonly SafeText[] => question.flatMap((line) => fold(line, Math.max(1, width - 4)))

const fieldRows = (words: FormWords, width: number, height: number): Pick<FormLines, 'rows' | 'line' | 'hints'> => {
  const whole = rowsOf(words, width)
  const line = lineRows(words.line, width, height - 1)
  const hints = hintRows(words.hint, width, height - line.length - Math.min(whole.length, LEAST_ROWS))
  const room = Math.max(1, height - line.length - hints.length)
  const all = withHintIn(room, whole, words.at)
  const first = all.findIndex(({ index }) => index === words.at)
  const last = all.findLastIndex(({ index }) => index === words.at)
  const top = Math.max(0, Math.min(last - room + 1, all.length - room, Math.max(0, first)))
  return { rows: all.slice(top, top + room), line, hints }
}

/** Of the hint of the field that is filled in the lines that have room: from two of them on below it, else what is seen beside it. */
const withHintIn = (room: number, rows: readonly FormLine[], at: number): readonly FormLine[] => {
  const hint = rows.filter(({ says }) => says === 'hint')
  const over = rows.filter(({ index }) => index === at).length - room
  if (over <= 0) return rows
  const kept = hint.length - over
  if (kept < 2) return rows.filter(({ says }) => says !== 'hint')
  const last: FormLine = { ...hint[kept - 1]!, text: textOf(hint.slice(kept - 1)) }
  return rows.filter((row) => row.says !== 'hint' || hint.indexOf(row) < kept).map((row) => (row === hint[kept - 1] ? last : row))
}

/** Too long for its line, which is cut where it is drawn. */
const textOf = (lines: readonly FormLine[]): string => lines.map(({ text }) => text).join(' ')

/** Columns of the labels. */
export const labelsIn = (fields: readonly FormField[]): number => Math.max(0, ...fields.map(({ label }) => widthOf(label))) + 1

/** Of a value as much as its field has room for; the end of a long text is where one types. */
export const valueIn = ({ value, choice }: Pick<FormField, 'value' | 'choice'>, labels: number, width: number): string =>
  choice && value === '' ? '–' : tail(value, valueRoom(labels, width))

const valueRoom = (labels: number, width: number): number => Math.max(4, width - labels - 8)

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
const lineRows = (line: SafeText | null, width: number, height: number): readonly string[] => {
  if (line === null) return []
  const rows = fold(line, Math.max(1, width - 5))
  const most = Math.max(1, Math.min(MOST_ROWS, height))
  return rows.length <= most ? rows : [...rows.slice(0, most - 1), rows.slice(most - 1).join(' ')]
}

const MOST_ROWS = 3

/** Lines of fields before which the keys below them stand back. */
const LEAST_ROWS = 4

/** What stands between two keys of a hint. */
export const GAP = '   '

const rowsOf = ({ fields, at }: FormWords, width: number): readonly FormLine[] => {
  const labels = labelsIn(fields)
  const room = Math.max(1, width - 4 - labels)
  return fields.flatMap((field, index): readonly FormLine[] => [
    { index, says: 'field', text: '' },
    ...(index === at && !hasHintBeside(field, labels, width) ? fold(hintOf(field, labels, width), room).map((text) => ({ index, says: 'hint', text }) as const) : []),
    ...(field.wrong === null ? [] : fold(field.wrong, Math.max(1, room - 2)).map((text, row) => ({ index, says: 'wrong', text: `${row === 0 ? '✗' : ' '} ${text}` }) as const)),
  ])
}

/** What was chosen is read whole, where its line has room for a part of it only. */
export const hintOf = ({ value, choice, hint }: FormField, labels: number, width: number): SafeText => (choice && widthOf(value) > valueRoom(labels, width) ? value : hint)

/** Whether the whole hint of the field that is filled in stands in its line. */
const hasHintBeside = (field: FormField, labels: number, width: number): boolean =>
  labels + 2 + widthOf(valueIn(field, labels, width)) + (field.choice ? 4 : 1) + 1 + widthOf(hintOf(field, labels, width)) <= width - 2
