import { z } from 'zod'
import { together } from '../../db/engine/db.ts'
import { endedAmong } from '../../domain/settings/hooks.ts'
import { lookForArtifacts, storeMissing } from './steps/artifacts.ts'
import { refuseOutside, workingFolder } from '../requests/confinement.ts'
import { criteriaMet, markMet } from './steps/criteria.ts'
import { findHeld } from '../agents/steps/held.ts'
import { agentId, atMostOneMegabyte, heldAttempt, json, taskId } from '../perform/schemas.ts'
import { ofActing, operation } from '../perform/operation.ts'
import { seeBeforeEnd } from '../messages/handover.ts'
import { signOfLife } from './steps/task-steps.ts'
import { completeHeld } from './steps/end-attempt.ts'
import { taskView, viewTask } from '../views/tasks.ts'

export const completeTask = operation({
  name: 'complete_task',
  summary: 'Complete your task with its result',
  access: 'write',
  authority: 'agent',
  scope: ofActing,
  input: () =>
    z.strictObject({
      taskId,
      agentId: agentId.optional(),
      attempt: heldAttempt,
      resultData: atMostOneMegabyte(json, 'write it to a file in the worktree and list that in artifacts')
        .optional()
        .describe('The result, any JSON value'),
      criteriaMet: criteriaMet(),
      artifacts: z
        .array(z.string().min(1).max(4000))
        .max(1000)
        .optional()
        .describe('Paths of the created files, in the worktree'),
    }),
  output: taskView,
  run: async (context, input) => {
    const { db } = context
    const { task, agent } = await findHeld(context, 'complete', input.taskId, input.agentId, input.attempt)
    await seeBeforeEnd(context)
    const folder = task.folder ?? (await workingFolder(context, task.target_worktree ?? agent.assigned_worktree))
    if (input.artifacts) refuseOutside(folder, input.artifacts)
    const { present, missing } = lookForArtifacts(folder, input.artifacts ?? [])
    const result = {
      data: input.resultData === undefined ? null : JSON.stringify(input.resultData),
      artifacts: input.artifacts ? JSON.stringify(present) : null,
    }
    const marked = markMet(db, task.id, input.criteriaMet ?? [])
    const completed = completeHeld(context, task, result, agent)
    const [, , , view] = await together(
      completed,
      storeMissing(context, task, missing),
      signOfLife(context, agent),
      marked.then(() => viewTask(db, task.id, completed)),
    )
    return view
  },
  subject: (task) => ({
    taskId: task.id,
    agentId: task.assignedAgentId,
    worktree: task.targetWorktree,
    details: { ended: endedAmong([task]) },
  }),
  wish: (task) => (task.targetWorktree === null ? undefined : { kind: 'record_commits', taskId: task.id }),
})
