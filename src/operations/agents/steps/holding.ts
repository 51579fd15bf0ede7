import { selectAgent } from '../../../db/agents.ts'
import type { AgentRow } from '../../../db/schema/agents.ts'
import { selectTask, type TaskRow } from '../../../db/tasks.ts'
import { isHeld } from '../../../domain/task/task.ts'
import type { Context } from '../../perform/core.ts'

/** The task and its agent if exactly this attempt still holds it; a file of another attempt is ignored. */
export const findHolding = async (
  { db }: Context,
  { taskId, agentId, attempt }: { readonly taskId: number; readonly agentId: string; readonly attempt: number },
): Promise<{ task: TaskRow; agent: AgentRow } | undefined> => {
  const task = await selectTask(db, taskId)
  if (!task || !isHeld(task.status) || task.assigned_agent_id !== agentId || task.attempt !== attempt) return undefined
  return { task, agent: (await selectAgent(db, agentId))! }
}
