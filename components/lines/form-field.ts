import type { SafeText } from '../../src/domain/words/safe-text.ts'
import { formText } from '../../src/text/forms.ts'
import { cut, fold, tail, widthOf } from '../base/fit.ts'

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
export const textBelow = ({ lines = [] }: FormField, room: number): readonly SafeText[] =>
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
export const hasHintBeside = (field: FormField, labels: number, width: number): boolean =>
  labels +
    2 +
    widthOf(activeValueIn(field, labels, width)) +
    (field.choice ? 4 : 1) +
    1 +
    widthOf(hintOf(field, labels, width)) <=
  width - 2
