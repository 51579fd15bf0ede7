import { selectCriteria, type TaskRow } from '../../db/tasks.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { metadataOf } from '../../domain/task/metadata.ts'
import type { Context } from '../perform/core.ts'
import { findActiveWorktree } from '../perform/find.ts'

// A copy of a task, for another agent in a worktree of its own.

/** The fields that a copy has from its task. Its place is its own worktree, whatever the task wants. */
export const draftOfCopy = async ({ db }: Pick<Context, 'db'>, task: TaskRow) => {
  const { worktree: _, placement: __, ...metadata } = metadataOf(task.metadata)
  return {
    description: task.description,
    personaId: task.persona_id,
    priority: task.priority,
    dependencies: [],
    ...(task.context_ref === null ? {} : { contextRef: task.context_ref }),
    acceptanceCriteria: (await selectCriteria(db, [task.id])).map(({ text }) => text),
    metadata: metadata as Record<string, never>,
  }
}

/** The branch that a copy continues: that of the task's worktree if it has one. */
export const branchOfTask = async ({ db }: Pick<Context, 'db'>, task: TaskRow): Promise<string | undefined> => {
  if (task.target_worktree === null) return undefined
  const { name, folder, branch_name } = await findActiveWorktree(db, task.target_worktree)
  if (folder !== 'ready')
    throw new Refusal('invalid_state', `Worktree ${name} is still being created. Try again in a moment.`)
  return branch_name
}

/** The title with a label after it, as long as a title may be. */
export const labelledTitle = (title: string, label: string): string => {
  const end = ` (${label})`
  return `${title.slice(0, 500 - end.length)}${end}`.slice(0, 500)
}
