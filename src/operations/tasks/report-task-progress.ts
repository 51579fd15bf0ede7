import { z } from 'zod'
import { together } from '../../db/engine/db.ts'
import { insertTaskLog } from '../../db/task-logs.ts'
import { extendLeases } from '../../db/leases.ts'
import { changeStatus } from '../../db/tasks.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { criteriaMet, markMet } from './steps/criteria.ts'
import { findHeld } from '../agents/steps/held.ts'
import { agentId, heldAttempt, taskId, text } from '../perform/schemas.ts'
import { ofActing, operation } from '../perform/operation.ts'
import { signOfLife, startHeld } from './steps/task-steps.ts'
import { taskView, viewTask } from '../views/tasks.ts'

export const reportTaskProgress = operation({
  name: 'report_task_progress',
  summary: 'Report progress on your task: a note and, if known, a percentage',
  access: 'write',
  authority: 'agent',
  scope: ofActing,
  keeps: ({ taskId, agentId, attempt, progressNote, level, percentComplete, criteriaMet: met = [] }, actor) => {
    const by = agentId ?? (actor.kind === 'agent' ? actor.id : undefined)
    return by === undefined
      ? undefined
      : {
          ...{ taskId, agentId: by, attempt: attempt ?? null, note: progressNote, level },
          ...{ percent: percentComplete ?? null, criteriaMet: met },
        }
  },
  input: () =>
    z.strictObject({
      taskId,
      agentId: agentId.optional(),
      attempt: heldAttempt,
      progressNote: text(32_768).min(1),
      percentComplete: z.int().min(0).max(100).optional(),
      criteriaMet: criteriaMet(),
      level: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
    }),
  output: taskView,
  run: async (context, input) => {
    const { db, now, settings } = context
    const { task, agent } = await findHeld(context, 'progress', input.taskId, input.agentId, input.attempt)
    await startHeld(context, task)
    const kept = await changeStatus(
      db,
      task.id,
      { status: 'in_progress', attempt: task.attempt, agentId: agent.id },
      {
        progressed_at: now,
        changed_at: now,
        ...(input.percentComplete === undefined ? {} : { progress_percent: input.percentComplete }),
      },
    )
    if (!kept) throw new Refusal('lease_lost', `Agent ${agent.id} no longer holds task ${task.id}.`)
    await markMet(db, task.id, input.criteriaMet ?? [])
    await together(signOfLife(context, agent), extendLeases(db, [agent.id], context, settings.lease.ttl))
    const [view] = await together(
      viewTask(db, task.id),
      // Last, since writers of notes wait for each other.
      insertTaskLog(db, {
        task_id: task.id,
        agent_id: agent.id,
        level: input.level,
        message: input.progressNote,
        attempt: task.attempt,
        percent: input.percentComplete ?? null,
        logged_at: now,
      }),
    )
    return view
  },
  subject: (task, input) => ({
    taskId: task.id,
    agentId: task.assignedAgentId,
    details: { percent: input.percentComplete ?? null },
  }),
})
