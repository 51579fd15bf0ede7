import { z } from 'zod'
import { changeAgent, selectAgent } from '../../db/agents.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { isHeld, whyNot, whyRaced } from '../../domain/task/task.ts'
import type { Context } from '../perform/core.ts'
import { findTaskFacts, must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { taskId, text } from '../perform/schemas.ts'
import { taskView, viewTask } from '../views/tasks.ts'
import { cancelTask as cancel } from './attempts.ts'

export const cancelTask = operation({
  name: 'cancel_task',
  summary: 'Cancel an unfinished or failed task; its process is stopped',
  access: 'write',
  authority: 'planner',
  grave: true,
  input: () => z.strictObject({ taskId, reason: text(2000).optional() }),
  output: taskView,
  run: async (context, input) => {
    const { task, facts } = await findTaskFacts(context.db, input.taskId)
    const why = whyNot('cancel', facts)
    if (why !== undefined) throw new Refusal('invalid_state', why)
    if (facts.isRaced) throw new Refusal('invalid_state', whyRaced(task.id))
    await cancel(context, task, input.reason ?? null)
    if (isHeld(task.status)) await stopRun(context, task.assigned_agent_id!, task.id)
    return viewTask(context.db, task.id)
  },
  subject: (task, input) => ({ taskId: task.id, details: { reason: input.reason ?? null } }),
  wish: (task) => (task.assignedAgentId === null ? undefined : { kind: 'stop_agent', agentId: task.assignedAgentId }),
  reread: async (context, task) => await viewTask(context.db, task.id),
})

/** Stops a process that aiswarm started for this task. */
const stopRun = async ({ db, now }: Context, agentId: string, taskId: number): Promise<void> => {
  const agent = await selectAgent(db, agentId)
  if (!agent || agent.task_id !== taskId || !['wanted', 'started'].includes(agent.process)) return
  must(
    await changeAgent(
      db,
      agentId,
      { run: agent.run },
      { stop_requested_at: now, stop_reason: `task ${taskId} was cancelled` },
    ),
    `Agent ${agentId}`,
  )
}
