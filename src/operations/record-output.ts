import { z } from 'zod'
import { changeStatus, selectTask } from '../db/tasks.ts'
import { isHeld } from '../domain/task.ts'
import { agentId, taskId } from './kernel/inputs.ts'
import { operation } from './kernel/operation.ts'

/** A command can report nothing: that it prints is all that it shows of its progress. */
export const recordOutput = operation({
  name: 'record_output',
  summary: 'Take what a command prints for progress of its task',
  access: 'write',
  authority: 'system',
  input: z.strictObject({ taskId, agentId, writtenAt: z.iso.datetime() }),
  output: z.object({ recorded: z.boolean() }),
  run: async ({ db, now }, { taskId, agentId, writtenAt }) => {
    const task = await selectTask(db, taskId)
    // What was written before it began was written by an earlier attempt.
    if (!task || !isHeld(task.status) || task.assigned_agent_id !== agentId || writtenAt <= (task.progressed_at ?? task.started_at ?? now)) return { recorded: false }
    const { status, attempt } = task
    return { recorded: await changeStatus(db, taskId, { status, attempt, agentId }, { progressed_at: writtenAt < now ? writtenAt : now, changed_at: now }) }
  },
  subject: () => null,
})
