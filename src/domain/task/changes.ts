import { type EditableField, fieldWords } from './edit.ts'

/** A change of one field, as the event of an edit records it. */
export interface FieldChange {
  readonly field: EditableField
  readonly from: unknown
  readonly to: unknown
}

/** A change in one line: `priority 0 → 10`. A text is only counted; `changedLines` has its lines. */
export const changeWords = ({ field, from, to }: FieldChange): string =>
  `${fieldWords[field]} ${valueWords(field, from)} → ${valueWords(field, to)}`

/** The lines that a change of the description or the criteria removes and adds; none for other fields. */
export const changedLines = ({ field, from, to }: FieldChange): readonly string[] => {
  if (field !== 'description' && field !== 'acceptanceCriteria') return []
  const [old, now] = [linesOf(from), linesOf(to)]
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+ ${line}`),
  ]
}

const linesOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value.map(String) : (typeof value === 'string' ? value : '').split('\n')).filter(
    (line) => line.trim() !== '',
  )

const valueWords = (field: EditableField, value: unknown): string => {
  if (field === 'description' || field === 'acceptanceCriteria') return count(linesOf(value).length, field)
  if (field === 'host') return typeof value === 'string' ? value : 'any'
  if (field === 'dependencies' || field === 'labels')
    return Array.isArray(value) && value.length > 0 ? value.join(', ') : 'none'
  if (field === 'budget') return limits(value ?? {})
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'as configured'
}

const limits = ({
  costUsd = null,
  tokens = null,
}: {
  readonly costUsd?: number | null
  readonly tokens?: number | null
}): string =>
  [...(costUsd === null ? [] : [`$${costUsd.toFixed(2)}`]), ...(tokens === null ? [] : [`${tokens} tokens`])].join(
    ' and ',
  ) || 'no limit'

const count = (n: number, field: 'description' | 'acceptanceCriteria'): string => {
  if (n === 0) return 'none'
  return field === 'description' ? `${n} ${n === 1 ? 'line' : 'lines'}` : String(n)
}
