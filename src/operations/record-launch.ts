import { z } from 'zod'
import { insertRun } from '../db/agent-runs.ts'
import { changeAgent } from '../db/agents.ts'
import { selectTask } from '../db/tasks.ts'
import { findAgent } from './kernel/find.ts'
import { agentId } from './kernel/inputs.ts'
import { operation } from './kernel/operation.ts'
import { startHeld } from './kernel/task-steps.ts'

export const recordLaunch = operation({
  name: 'record_launch',
  summary: 'Record the process of run N of an agent',
  access: 'write',
  authority: 'system',
  input: z.strictObject({
    agentId,
    run: z.int().min(1),
    pid: z.int().min(1),
    startedAt: z.string(),
    bootId: z.string(),
    /** The kind does not report by itself, so its task starts with its process. */
    startsTask: z.boolean(),
    model: z.string().nullable().default(null),
    /** The CLI's own session that the run goes on with. */
    resumes: z.string().nullable().default(null),
    /** Where the run begins in the agent's output file, in bytes. */
    outputOffset: z.int().min(0).default(0),
  }),
  output: z.object({ recorded: z.boolean(), taskId: z.int().nullable(), /** Whether the task is worked on from now on. */ starts: z.boolean() }),
  run: async (context, { agentId, run, pid, startedAt, bootId, startsTask, model, resumes, outputOffset }) => {
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
        started_at: now,
      })
    const starts = recorded && startsTask && task?.assigned_agent_id === agentId
    if (starts) await startHeld(context, task)
    return { recorded, taskId: agent.task_id, starts }
  },
  subject: ({ recorded, taskId, starts }, { agentId, run, pid }) => (recorded ? { agentId, taskId, details: { run, pid, starts } } : null),
})
