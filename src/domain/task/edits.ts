import { standingOf, type TaskFacts, type TaskState } from './task.ts'

// Edits of a task: the fields that may change in each state, and a change in words.

/** The fields of a task that may change after its creation. */
export const editableFields = [
  'description',
  'priority',
  'dependencies',
  'acceptanceCriteria',
  'kind',
  'model',
  'host',
  'labels',
  'budget',
] as const
export type EditableField = (typeof editableFields)[number]

/** An agent has read the other fields in its prompt, so changing them would have no effect on its work. */
const whileHeld: readonly EditableField[] = ['priority', 'budget']

const editable: Readonly<Record<TaskState, readonly EditableField[]>> = {
  pending: editableFields,
  claimed: whileHeld,
  in_progress: whileHeld,
  failed: editableFields,
  completed: [],
  cancelled: [],
}

/** The words for a field in a sentence. */
const fieldWords: Readonly<Record<EditableField, string>> = {
  description: 'description',
  priority: 'priority',
  dependencies: 'dependencies',
  acceptanceCriteria: 'acceptance criteria',
  kind: 'kind of agent',
  model: 'model',
  host: 'host',
  labels: 'labels of its host',
  budget: 'budget',
}

/** The fields that may change now. A task that runs a command needs no agent. */
export const fieldsOf = (status: TaskState, hasCommand: boolean): readonly EditableField[] =>
  editable[status].filter((field) => !hasCommand || (field !== 'kind' && field !== 'model'))

/** The reason why the task cannot be edited at all now, as one sentence; undefined if it can. */
export const whyNotEdited = (task: TaskFacts): string | undefined =>
  editable[task.status].length > 0
    ? undefined
    : `${standingOf(task)}; only a pending, running or failed task can be edited. Create another task for the rest.`

/** The reason why one of these fields cannot change now; undefined if all can. */
export const whyNotChanged = (
  task: TaskFacts,
  hasCommand: boolean,
  fields: readonly EditableField[],
): string | undefined => {
  const why = whyNotEdited(task)
  if (why !== undefined) return why
  const allowed = fieldsOf(task.status, hasCommand)
  const refused = fields.find((field) => !allowed.includes(field))
  if (refused === undefined) return undefined
  if (hasCommand && (refused === 'kind' || refused === 'model'))
    return `Task ${task.id} runs a command, so it has no ${fieldWords[refused]}.`
  if (refused === 'host' || refused === 'labels')
    return `${standingOf(task)}, whose host is chosen; only priority and budget can change now. 'aiswarm worktree move' moves its worktree when the agent has ended.`
  return `${standingOf(task)}, which has read its ${fieldWords[refused]} already; only priority and budget can change now. Terminate the agent first.`
}

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
