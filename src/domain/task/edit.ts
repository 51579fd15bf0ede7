import { standingOf, type TaskFacts, type TaskState } from './task.ts'

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
export const fieldWords: Readonly<Record<EditableField, string>> = {
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
