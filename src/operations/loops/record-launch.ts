import { z } from 'zod'
import { insertRun } from '../../db/runs.ts'
import { changeAgent } from '../../db/agents.ts'
import { moveMessage, insertJournal } from '../../db/messages.ts'
import { selectTask } from '../../db/tasks.ts'
import { findAgent } from '../perform/find.ts'
import { agentId } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { startHeld } from '../tasks/attempts.ts'

export const recordLaunch = operation({
  name: 'record_launch',
  summary: 'Record the process of run N of an agent',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      agentId,
      run: z.int().min(1),
      pid: z.int().min(1),
      startedAt: z.string(),
      bootId: z.string(),
      /** True if the kind does not report by itself, so that its task starts with its process. */
      startsTask: z.boolean(),
      model: z.string().nullable().default(null),
      /** The CLI's own session that the run resumes. */
      resumes: z.string().nullable().default(null),
      /** The start of the run in the agent's output file, in bytes. */
      outputOffset: z.int().min(0).default(0),
      /** True if its input is a journal. */
      talks: z.boolean().default(false),
      /** The messages in its prompt. */
      messages: z.array(z.int().min(1)).default([]),
      /** Why the kernel does not confine its program; null if it does. */
      unconfined: z.string().max(2000).nullable().default(null),
    }),
  output: () =>
    z.object({
      recorded: z.boolean(),
      taskId: z.int().nullable(),
      /** True if the task has started now. */ starts: z.boolean(),
    }),
  run: async (context, input) => {
    const { agentId, run, pid, startedAt, bootId, startsTask, model, resumes, outputOffset, talks } = input
    const { db, now } = context
    const agent = await findAgent(db, agentId)
    const recorded = await changeAgent(
      db,
      agentId,
      { process: 'wanted', run },
      {
        process: 'started',
        process_id: pid,
        process_started_at: startedAt,
        boot_id: bootId,
        status: 'active',
        last_heartbeat: now,
      },
    )
    const task = agent.task_id === null ? undefined : await selectTask(db, agent.task_id)
    if (recorded)
      await insertRun(db, {
        agent_id: agentId,
        run,
        task_id: agent.task_id,
        attempt: task?.assigned_agent_id === agentId ? task.attempt : null,
        kind: agent.kind,
        model,
        cli_session: resumes,
        resumed: resumes === null ? 0 : 1,
        output_offset: outputOffset,
        unconfined: input.unconfined,
        started_at: now,
      })
    if (recorded && talks) await insertJournal(db, agentId, run)
    for (const id of recorded ? input.messages : [])
      await moveMessage(db, id, 'hand_over', { run_of: agentId, run, handed_over_at: now })
    const starts = recorded && startsTask && task?.assigned_agent_id === agentId
    if (starts) await startHeld(context, task)
    return { recorded, taskId: agent.task_id, starts }
  },
  subject: ({ recorded, taskId, starts }, { agentId, run, pid }) =>
    recorded ? { agentId, taskId, details: { run, pid, starts } } : null,
})
