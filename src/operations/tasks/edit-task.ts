import { z } from 'zod'
import { changeTask, replaceCriteria } from '../../db/tasks.ts'
import { editableFields, type FieldChange, whyNotChanged } from '../../domain/task/edits.ts'
import type { Limits } from '../../domain/budget/budget.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Context } from '../perform/core.ts'
import { findTask, findTaskFacts, refuseUnknownKind } from '../perform/find.ts'
import { taskId, text } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { taskView, viewTask } from '../views/tasks.ts'
import { budgetOfTask } from '../budgets/budgets.ts'
import { changeBudget } from '../budgets/change-budget.ts'
import { taskDraft } from './steps/add-task.ts'
import { refuseWish } from './steps/refuse-wish.ts'
import { changeDependencies, changesOf, metadataWith } from './steps/edits.ts'

const { priority, dependencies, acceptanceCriteria, labels } = taskDraft().shape
/** Null: as configured. */
const named = z.string().trim().min(1).max(200).nullable()

export const editTask = operation({
  name: 'edit_task',
  summary:
    'Change what may still change of a task: description, priority, dependencies, criteria, kind, model, host, labels, budget',
  access: 'write',
  authority: 'person',
  input: () =>
    z.strictObject({
      taskId,
      description: text(200_000).optional(),
      priority: priority.unwrap().optional(),
      dependencies: dependencies.unwrap().optional(),
      acceptanceCriteria: acceptanceCriteria.unwrap().optional(),
      kind: named.optional(),
      model: named.optional(),
      /** Null: any. */
      host: named.optional(),
      labels,
      /** A null limit is none; a missing one stays. */
      budget: z
        .strictObject({
          costUsd: z.number().positive('a budget is greater than 0').max(1e9).nullable().optional(),
          tokens: z.int().positive('a budget is greater than 0').nullable().optional(),
        })
        .optional(),
    }),
  output: () =>
    z.object({
      task: taskView(),
      changes: z.array(z.object({ field: z.enum(editableFields), from: z.unknown(), to: z.unknown() })),
    }),
  run: async (context, { taskId: id, ...given }) => {
    const { db } = context
    const { task, facts } = await findTaskFacts(db, id)
    const changes = await changesOf(db, task, (await budgetOfTask(context, id)).budget, given)
    const why = whyNotChanged(
      facts,
      task.command !== null,
      changes.map(({ field }) => field),
    )
    if (why !== undefined) throw new Refusal('invalid_state', why)
    for (const change of changes) await apply(context, id, change)
    if (changes.some(({ field }) => field === 'host' || field === 'labels'))
      await refuseWish(context, await findTask(db, id), { here: MAKE_ANOTHER, there: moveWorktree })
    return { task: await viewTask(db, id), changes: [...changes] }
  },
  // An edit that changes nothing leaves no event.
  subject: ({ task, changes }) =>
    changes.length === 0 ? null : { taskId: task.id, worktree: task.targetWorktree, details: { changes } },
})

const apply = async (context: Context, id: number, { field, to }: FieldChange): Promise<void> => {
  const { db } = context
  if (field === 'description') await changeTask(db, id, { description: to as string })
  else if (field === 'priority') await changeTask(db, id, { priority: to as number })
  else if (field === 'dependencies') await changeDependencies(db, id, to as readonly number[])
  else if (field === 'acceptanceCriteria') await replaceCriteria(db, id, to as readonly string[])
  else if (field === 'budget') await changeBudget(context, id, to as Limits)
  else {
    if (field === 'kind' && typeof to === 'string') refuseUnknownKind(context, to)
    await changeTask(db, id, { metadata: metadataWith(await findTask(db, id), { [field]: to }) })
  }
}

const MAKE_ANOTHER = 'Create another task, with a worktree of its own.'
const moveWorktree = (worktree: string): string => `Move it with 'aiswarm worktree move ${worktree} --host H'.`

export type TaskEdit = Omit<z.input<typeof editTask.input>, 'taskId'>
