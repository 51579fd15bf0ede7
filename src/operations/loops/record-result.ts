import { z } from 'zod'
import { changeResult, markCriteria } from '../../db/tasks.ts'
import { endedAmong } from '../../domain/settings/hooks.ts'
import { waitingAmong } from '../tasks/steps/ended-tasks.ts'
import { lookForArtifacts, storeMissing } from '../tasks/steps/artifacts.ts'
import { findTask } from '../perform/find.ts'
import { findHolding } from '../agents/steps/holding.ts'
import { agentId, json, taskId, text } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { note, startHeld } from '../tasks/steps/task-steps.ts'
import { completeHeld, failHeld } from '../tasks/steps/end-attempt.ts'
import { taskView, viewTask } from '../views/tasks.ts'
import { workingFolder } from '../requests/confinement.ts'

/** Seed 000: the result file ends the task of an agent that did not end it by a tool. */
export const recordResult = operation({
  name: 'record_result',
  summary: "End an agent's task as its result file says",
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      taskId,
      agentId,
      attempt: z.int().min(1),
      status: z.enum(['completed', 'failed']),
      /** The error of a failed task; otherwise ignored. */
      error: text(32_768),
      resultData: json,
      artifacts: z.array(text(4000)).max(1000),
      criteria: z.array(z.object({ text: text(10_000), met: z.boolean() })).max(1000),
    }),
  output: () => z.object({ recorded: z.boolean(), task: taskView().nullable() }),
  run: async (context, input) => {
    const { db } = context
    const holding = await findHolding(context, input)
    if (!holding) return { recorded: false, task: null }
    await startHeld(context, holding.task)
    const task = await findTask(db, input.taskId)
    await markCriteria(db, task.id, input.criteria)
    const folder =
      task.folder ?? (await workingFolder(context, task.target_worktree ?? holding.agent.assigned_worktree))
    const { present, missing } = lookForArtifacts(folder, input.artifacts)
    await storeMissing(context, task, missing)
    const result = { data: JSON.stringify(input.resultData), artifacts: JSON.stringify(present) }
    if (input.status === 'completed') {
      await completeHeld(context, task, result)
      const open = input.criteria.filter(({ met }) => !met)
      if (open.length > 0)
        await note(
          context,
          task,
          'warn',
          `Completed with ${open.length} of ${input.criteria.length} acceptance criteria not met: ${open.map((one) => one.text).join('; ')}`,
        )
    } else {
      await failHeld(context, task, input.error)
      // Partial results are kept together with the error.
      await changeResult(db, task.id, { result_data: result.data, artifacts: result.artifacts })
    }
    return { recorded: true, task: await viewTask(db, task.id) }
  },
  subject: ({ recorded, task }, input) => {
    const own = task === null ? [] : [task]
    return recorded
      ? {
          taskId: input.taskId,
          agentId: input.agentId,
          details: { status: input.status, ended: endedAmong(own), waiting: waitingAmong(own) },
        }
      : null
  },
})
