import { z } from 'zod'
import { isTrusted } from '../../domain/agent/actor.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { selectHeldTasks } from '../../db/agents.ts'
import { addTask } from './steps/add-task.ts'
import type { Context } from '../perform/core.ts'
import { findTask } from '../perform/find.ts'
import { personaId, taskId, text, worktreeName } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { taskView, viewTask } from '../views/tasks.ts'

export const createSubtask = operation({
  name: 'create_subtask',
  summary: 'Create a subtask for a part of your task',
  access: 'write',
  authority: 'anyone',
  input: () =>
    z.strictObject({
      title: z.string().trim().min(1, 'a title is required').max(500),
      description: text(200_000),
      personaId,
      parentTaskId: taskId.optional().describe('Parent task (default: yours, if you hold just one)'),
      targetWorktree: worktreeName.optional().describe("Worktree to do it in (default: the parent's)"),
    }),
  output: taskView,
  run: async (context, { parentTaskId, targetWorktree, ...draft }) => {
    const { db, actor } = context
    const parent = await parentOf(context, parentTaskId)
    const worktree = targetWorktree ?? parent?.target_worktree ?? undefined
    if (
      actor.kind === 'agent' &&
      actor.role === 'worker' &&
      worktree !== (parent?.target_worktree ?? actor.worktree ?? undefined)
    ) {
      throw new Refusal(
        'worktree_mismatch',
        `${actor.id} works in ${actor.worktree ?? 'the repository root'}; only a planner may create tasks elsewhere.`,
      )
    }
    const id = await addTask(context, {
      ...draft,
      priority: parent?.priority ?? 0,
      dependencies: [],
      acceptanceCriteria: [],
      ...(parent ? { parentTaskId: parent.id } : {}),
      ...(worktree === undefined ? {} : { targetWorktree: worktree }),
    })
    return viewTask(db, id)
  },
  subject: (task) => ({ taskId: task.id, worktree: task.targetWorktree, details: { parent: task.parentTaskId } }),
})

/** A worker may divide only a task that it holds. */
const parentOf = async ({ db, actor }: Context, parentTaskId: number | undefined) => {
  const held = actor.kind === 'agent' ? (await selectHeldTasks(db, [actor.id])).map((task) => task.task_id) : []
  const id = parentTaskId ?? (held.length === 1 ? held[0] : undefined)
  const restricted = !isTrusted(actor) && actor.kind === 'agent' && actor.role === 'worker'
  if (restricted && (id === undefined || !held.includes(id))) {
    throw new Refusal(
      'not_allowed',
      id === undefined
        ? `${actor.id} holds no task to divide. Claim one first.`
        : `${actor.id} does not hold task ${id}; only its holder or a planner may divide it.`,
    )
  }
  return id === undefined ? undefined : findTask(db, id)
}
