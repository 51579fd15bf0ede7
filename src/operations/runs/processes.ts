import { z } from 'zod'
import { changeAgent, selectHeldTasks, takeRun as take } from '../../db/agents.ts'
import { selectAttempts } from '../../db/attempts.ts'
import { setPaused } from '../../db/costs.ts'
import { insertJournal, moveMessage } from '../../db/messages.ts'
import { insertRun } from '../../db/runs.ts'
import type { AgentRow } from '../../db/schema/agents.ts'
import { selectTask } from '../../db/tasks.ts'
import { rememberWithoutRun } from '../memory/attempts.ts'
import { saidText } from '../memory/dual-memory.ts'
import { type Context, hostOf } from '../perform/core.ts'
import { findAgent, findTask } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { agentId, text } from '../perform/schemas.ts'
import { hashToken } from '../perform/token.ts'
import { releaseHeld, startHeld, waitingOf, waitingTask, type WaitingTask } from '../tasks/attempts.ts'
import { endAgent } from './agents.ts'

// The process of a run: taken by its host, launched or not, paused.

export const takeRun = operation({
  name: 'take_run',
  summary: 'Take run N of an agent for this host, before anything of it is started, and issue its token',
  access: 'beat',
  quiet: true,
  authority: 'system',
  input: () => z.strictObject({ agentId, run: z.int().min(1) }),
  /** False if it is another host's, or was ended or recorded meanwhile. */
  output: () => z.object({ taken: z.boolean() }),
  run: async (context, { agentId, run }) => {
    const host = hostOf(context)
    if (host === null) return { taken: false }
    return { taken: await take(context.db, agentId, run, host, hashToken(context.launchToken(agentId, run))) }
  },
})

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

export const recordLaunchFailure = operation({
  name: 'record_launch_failure',
  summary: 'Record that run N of an agent could not be started; uses up no retry',
  access: 'write',
  authority: 'system',
  /** `prompt` is the prompt, if it was written. */
  input: () => z.strictObject({ agentId, run: z.int().min(1), error: text(4000), prompt: saidText.default('') }),
  output: () => z.object({ recorded: z.boolean(), waiting: z.array(waitingTask()) }),
  run: async (context, { agentId, run, error, prompt }) => {
    const agent = await findAgent(context.db, agentId)
    if (agent.process !== 'wanted' || agent.run !== run) return { recorded: false, waiting: [] }
    return { recorded: true, waiting: await endNotStarted(context, agent, error, prompt) }
  },
  subject: ({ recorded, waiting }, { agentId, error }) => (recorded ? { agentId, details: { error, waiting } } : null),
})

/** Ends an agent whose run was not started; returns its tasks, which wait for a moment. */
export const endNotStarted = async (
  context: Context,
  agent: AgentRow,
  error: string,
  prompt = '',
): Promise<WaitingTask[]> => {
  const heldTasks = await selectHeldTasks(context.db, [agent.id])
  for (const held of heldTasks) {
    await releaseHeld(context, await findTask(context.db, held.task_id), { outcome: 'not_started', why: error })
    const attempt = (await selectAttempts(context.db, held.task_id)).find(({ attempt }) => attempt === held.attempt)!
    await rememberWithoutRun(context, agent, attempt, { prompt: held.task_id === agent.task_id ? prompt : '' })
  }
  await endAgent(context, agent, { launch_error: error })
  return waitingOf(
    context.db,
    heldTasks.map((held) => held.task_id),
  )
}

export const recordPause = operation({
  name: 'record_pause',
  summary: 'Record that the process of a run is paused until a person answers, or is resumed',
  access: 'write',
  authority: 'system',
  input: () => z.strictObject({ agentId, run: z.int().min(1), paused: z.boolean() }),
  output: () => z.object({ recorded: z.boolean(), taskId: z.int().nullable() }),
  run: async ({ db, now }, { agentId, run, paused }) => {
    const agent = await findAgent(db, agentId)
    if (paused && (agent.process !== 'started' || agent.run !== run || agent.stop_requested_at !== null))
      return { recorded: false, taskId: agent.task_id }
    await setPaused(db, agentId, run, paused ? now : null)
    return { recorded: true, taskId: agent.task_id }
  },
  subject: ({ recorded, taskId }, { agentId, paused }) => (recorded ? { agentId, taskId, details: { paused } } : null),
})
