import type { TaskRow } from '../../db/tasks.ts'
import { parsed } from '../perform/schemas.ts'

/** Files that the results of these tasks report as created, without those that a result file marks as changed. */
export const createdFiles = (tasks: readonly TaskRow[]): readonly string[] =>
  unique(tasks.flatMap((task) => textsOf(parsed(task.artifacts)).filter((path) => isCreated(task, path))))

/** The issues in results, and the errors of failed tasks. */
export const issuesOf = (tasks: readonly TaskRow[]): readonly string[] =>
  unique(
    tasks.flatMap((task) => [
      ...(task.status === 'failed' ? [`task ${task.id}: ${task.error_message ?? 'failed'}`] : []),
      ...textsOf(fieldOf(parsed(task.result_data), 'issues')).map((issue) => `task ${task.id}: ${issue}`),
    ]),
  )

/** A file without a description, such as one that an agent names by a tool, counts as created. */
const isCreated = (task: TaskRow, path: string): boolean => {
  const files = fieldOf(parsed(task.result_data), 'files')
  const change: unknown = (Array.isArray(files) ? files : []).find((file) => fieldOf(file, 'path') === path)
  const said = fieldOf(change, 'change')
  return typeof said !== 'string' || /^(?:new|created|added)\b/i.test(said)
}

const fieldOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined

const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value.filter((text) => typeof text === 'string' && text.trim() !== '') : []) as string[]

const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts)]
