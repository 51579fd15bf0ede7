import { z } from 'zod'
import { changeStatus, selectTask } from '../../db/tasks.ts'
import { isHeld } from '../../domain/task/task.ts'
import { agentId, taskId } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'

/** A shell command cannot report; its output is the only sign of progress. */
export const recordOutput = operation({
  name: 'record_output',
  summary: 'Record the output of a command as progress of its task',
  access: 'write',
  authority: 'system',
  input: () => z.strictObject({ taskId, agentId, writtenAt: z.iso.datetime() }),
  output: () => z.object({ recorded: z.boolean() }),
  run: async ({ db, now }, { taskId, agentId, writtenAt }) => {
    const task = await selectTask(db, taskId)
    // Output from before the start belongs to an earlier attempt.
    if (
      !task ||
      !isHeld(task.status) ||
      task.assigned_agent_id !== agentId ||
      writtenAt <= (task.progressed_at ?? task.started_at ?? now)
    )
      return { recorded: false }
    const { status, attempt } = task
    return {
      recorded: await changeStatus(
        db,
        taskId,
        { status, attempt, agentId },
        { progressed_at: writtenAt < now ? writtenAt : now, changed_at: now },
      ),
    }
  },
  subject: () => null,
})
