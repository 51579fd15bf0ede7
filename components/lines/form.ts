import type { SafeText } from '../../src/domain/words/safe-text.ts'
import { formText } from '../../src/text/forms.ts'
import { cut, fold, tail, widthOf } from '../base/fit.ts'

// The layout of a form's lines, computed once for drawing, for its height and for clicks.

/** The fields and their texts. */
export interface FormWords {
  /** The question, if it does not fit in the title; otherwise empty. */
  readonly question: readonly SafeText[]
  /** Its first visible line. */
  readonly from: number
  readonly fields: readonly FormField[]
  /** The index of the active field. */
  readonly at: number
  /** The equivalent command line; null if there is none. */
  readonly line: SafeText | null
  readonly hint: SafeText
}

/** A line of a field: the field itself, a line of its text, the part of its hint that does not fit beside it, or its error. */
export interface FormLine {
  readonly index: number
  readonly says: 'field' | 'text' | 'hint' | 'wrong'
  readonly text: string
}

export interface FormLines {
  /** The visible lines of the question, the first of them and the number of all. */
  readonly asked: readonly SafeText[]
  readonly askedFrom: number
  readonly askedOf: number
  readonly rows: readonly FormLine[]
  readonly line: readonly string[]
  readonly hints: readonly string[]
}

/**
 * As many lines of the fields as fit, including those of the active one; a hint that does not fit below is truncated
 * beside the field.
 */
export const formLines = (words: FormWords, width: number, height: number): FormLines => {
  const question = questionRows(words, width)
  const below = fieldRows(words, width, height - Math.min(question.length, leastAsked(height)))
  const room = Math.max(0, height - below.rows.length - below.line.length - below.hints.length)
  const askedFrom = Math.max(0, Math.min(words.from, question.length - room))
  return { asked: question.slice(askedFrom, askedFrom + room), askedFrom, askedOf: question.length, ...below }
}

/** Lines inside the border if there is room for all. */
export const formHeight = (words: FormWords, width: number): number =>
  questionRows(words, width).length +
  rowsOf(words, width).length +
  lineRows(words.line, width, MOST_ROWS).length +
  hintRows(words.hint, width, Infinity).length

/** The least lines of a question before its fields scroll; one is left for the active field. */
const leastAsked = (height: number): number => Math.min(height - 1, Math.max(2, Math.floor(height / 2)))

const questionRows = ({ question }: FormWords, width: number): readonly SafeText[] =>
  question.flatMap((line) => fold(line, Math.max(1, width - 4)))

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

/** The hint of the active field: below it if two or more of its lines fit, otherwise the part beside it. */
const withHintIn = (room: number, rows: readonly FormLine[], at: number): readonly FormLine[] => {
  const hint = rows.filter(({ says }) => says === 'hint')
  const over = rows.filter(({ index }) => index === at).length - room
  if (over <= 0) return rows
  const kept = hint.length - over
  if (kept < 2) return rows.filter(({ says }) => says !== 'hint')
  const last: FormLine = { ...hint[kept - 1]!, text: textOf(hint.slice(kept - 1)) }
  return rows
    .filter((row) => row.says !== 'hint' || hint.indexOf(row) < kept)
    .map((row) => (row === hint[kept - 1] ? last : row))
}

/** Longer than its line, and truncated when drawn. */
const textOf = (lines: readonly FormLine[]): string => lines.map(({ text }) => text).join(' ')

/** A hint below the fields, broken only between its keys, in at most so many lines. */
const hintRows = (hint: SafeText, width: number, most: number): readonly string[] => {
  const lines: string[] = []
  for (const part of hint.split(GAP)) {
    const before = lines.at(-1)
    if (before !== undefined && widthOf(before + GAP + part) <= width - 3) lines[lines.length - 1] = before + GAP + part
    else lines.push(part)
  }
  return lines.slice(0, Math.max(0, most))
}

/** The equivalent command line, complete if it fits in three rows. */
const lineRows = (line: SafeText | null, width: number, height: number): readonly string[] => {
  if (line === null) return []
  const rows = fold(line, Math.max(1, width - 5))
  const most = Math.max(1, Math.min(MOST_ROWS, height))
  return rows.length <= most ? rows : [...rows.slice(0, most - 1), rows.slice(most - 1).join(' ')]
}

const MOST_ROWS = 3

/** The keys below are dropped if fewer lines are left for the fields. */
const LEAST_ROWS = 4

/** The separator between two keys of a hint. */
export const GAP = '   '

const rowsOf = ({ fields, at }: FormWords, width: number): readonly FormLine[] => {
  const labels = labelsIn(fields)
  const room = Math.max(1, width - 4 - labels)
  return fields.flatMap((field, index): readonly FormLine[] => [
    { index, says: 'field', text: '' },
    ...(index === at ? textBelow(field, room).map((text) => ({ index, says: 'text', text }) as const) : []),
    ...(index === at && !hasHintBeside(field, labels, width)
      ? fold(hintOf(field, labels, width), room).map((text) => ({ index, says: 'hint', text }) as const)
      : []),
    ...(field.wrong === null
      ? []
      : fold(field.wrong, Math.max(1, room - 2)).map(
          (text, row) => ({ index, says: 'wrong', text: `${row === 0 ? '✗' : ' '} ${text}` }) as const,
        )),
  ])
}

// The line of a field: its label, its value and its hint.

export interface FormField {
  readonly label: SafeText
  readonly value: SafeText
  /** The lines of a value that may have several. */
  readonly lines?: readonly SafeText[]
  /** The arrow keys change a choice; a text is typed. */
  readonly choice: boolean
  readonly hint: SafeText
  /** Its error. */
  readonly wrong: SafeText | null
}

/** Columns of the labels. */
export const labelsIn = (fields: readonly FormField[]): number =>
  Math.max(0, ...fields.map(({ label }) => widthOf(label))) + 1

/** The part of a value that fits in its field; of a long text the end, where the person types. */
export const valueIn = (
  { value, choice, lines = [] }: Pick<FormField, 'value' | 'choice' | 'lines'>,
  labels: number,
  width: number,
): string => {
  if (choice && value === '') return '–'
  if (lines.length < 2) return tail(value, valueRoom(labels, width))
  const more = formText.moreLines(lines.length - 1)
  return `${cut(lines[0]!, Math.max(1, valueRoom(labels, width) - widthOf(more)))}${more}`
}

/** As `valueIn`, while it is edited: several lines are shown below. */
export const activeValueIn = (field: FormField, labels: number, width: number): string =>
  (field.lines?.length ?? 0) > 1 ? formText.lines(field.lines!.length) : valueIn(field, labels, width)

/** The last lines of an active text of several lines, shown below its label; empty for one line. */
const textBelow = ({ lines = [] }: FormField, room: number): readonly SafeText[] =>
  lines.length < 2
    ? []
    : lines
        .slice(-MOST_LINES)
        .flatMap((line) => fold(line, room))
        .slice(-MOST_LINES)

/** Lines of a text that are shown while it is typed; the editor shows more. */
const MOST_LINES = 6

const valueRoom = (labels: number, width: number): number => Math.max(4, width - labels - 8)

/** A selected value is shown completely if its line has room only for a part. */
export const hintOf = ({ value, choice, hint }: FormField, labels: number, width: number): SafeText =>
  choice && widthOf(value) > valueRoom(labels, width) ? value : hint

/** True if the whole hint of the active field fits in its line. */
const hasHintBeside = (field: FormField, labels: number, width: number): boolean =>
  labels +
    2 +
    widthOf(activeValueIn(field, labels, width)) +
    (field.choice ? 4 : 1) +
    1 +
    widthOf(hintOf(field, labels, width)) <=
  width - 2
