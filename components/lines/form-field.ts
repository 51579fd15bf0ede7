import type { SafeText } from '../../src/domain/words/safe-text.ts'
import { tail, widthOf } from '../base/fit.ts'

// The line of a field: its label, its value and its hint.

export interface FormField {
  readonly label: SafeText
  readonly value: SafeText
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
  { value, choice }: Pick<FormField, 'value' | 'choice'>,
  labels: number,
  width: number,
): string => (choice && value === '' ? '–' : tail(value, valueRoom(labels, width)))

const valueRoom = (labels: number, width: number): number => Math.max(4, width - labels - 8)

/** A selected value is shown completely if its line has room only for a part. */
export const hintOf = ({ value, choice, hint }: FormField, labels: number, width: number): SafeText =>
  choice && widthOf(value) > valueRoom(labels, width) ? value : hint

/** True if the whole hint of the active field fits in its line. */
export const hasHintBeside = (field: FormField, labels: number, width: number): boolean =>
  labels +
    2 +
    widthOf(valueIn(field, labels, width)) +
    (field.choice ? 4 : 1) +
    1 +
    widthOf(hintOf(field, labels, width)) <=
  width - 2
