import { z } from 'zod'
import { changeAgent, selectHeldTasks, setAgent } from '../../db/agents.ts'
import { insertCommits, markCommitsRecorded, selectAttempts } from '../../db/attempts.ts'
import { setPaused } from '../../db/costs.ts'
import { changeRun } from '../../db/runs.ts'
import type { AgentRow } from '../../db/schema/agents.ts'
import { insertTaskLog } from '../../db/task-logs.ts'
import type { TaskRow } from '../../db/tasks.ts'
import { leftWords } from '../../domain/agent/agent.ts'
import { once } from '../../domain/words/once.ts'
import { putToSleep } from '../hosts/quotas.ts'
import { rememberRun, rememberWithoutRun } from '../memory/attempts.ts'
import { runMemory } from '../memory/dual-memory.ts'
import { endMessages } from '../messages/messages.ts'
import type { Context } from '../perform/core.ts'
import { findAgent, findTask, must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { agentId, json, lazyObject, taskId, text } from '../perform/schemas.ts'
import { recordDenials } from '../requests/requests.ts'
import { completeHeld, endedOf, endedTask, failHeld, releaseHeld, waitingOf, waitingTask } from '../tasks/attempts.ts'
import { endAgent, endStopped, releaseStopped } from './agents.ts'
import { contextUse, recordContext, recordReport, runReport } from './reports.ts'

// The end of a run and what it means for its task.

/** The result of an ended run for the task it was started for, if the agent still holds it. */
const verdict = once(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('completed'), resultData: json }),
    z.object({ kind: z.literal('failed'), error: text(32_768) }),
    /** The process vanished without an exit record: killed, or the machine went down. */
    z.object({ kind: z.literal('lost'), why: text(4000) }),
    /** The account or the service failed (not logged in, over its limit); `resetsAt` is when it works again. */
    z.object({ kind: z.literal('unavailable'), why: text(4000), resetsAt: z.string().nullable() }),
  ]),
)

export const settleRun = operation({
  name: 'settle_run',
  summary: 'Record the end of run N of an agent and what it means for its task, in one step',
  access: 'write',
  authority: 'system',
  input: () => z.strictObject({ agentId, ...runEnd().shape, verdict: verdict() }),
  output: () =>
    z.object({
      settled: z.boolean(),
      taskId: z.int().nullable(),
      /** True if the run still had to report the end of its task. */ decided: z.boolean(),
      /** True if the agent waits for its next task. */ goesOn: z.boolean(),
      ended: z.array(endedTask()),
      waiting: z.array(waitingTask()),
    }),
  run: async (context, input) => {
    const { db } = context
    const agent = await findAgent(db, input.agentId)
    if (agent.process !== 'started' || agent.run !== input.run)
      return { settled: false, taskId: agent.task_id, decided: false, goesOn: false, ended: [], waiting: [] }
    await endRun(context, agent, input)
    if (input.verdict.kind === 'unavailable' && input.verdict.resetsAt !== null)
      await putToSleep(context, agent, input.verdict.resetsAt, input.verdict.why)
    const held = (await selectHeldTasks(db, [agent.id])).map((task) => task.task_id)
    for (const id of held) await settleTask(context, agent, await findTask(db, id), input.verdict)
    if (input.memory) await rememberRun(context, agent.id, input.run, input.memory)
    const goesOn =
      agent.once === 0 && agent.stop_requested_at === null && !['lost', 'unavailable'].includes(input.verdict.kind)
    if (goesOn) {
      must(
        await changeAgent(
          db,
          agent.id,
          { process: 'started', run: input.run },
          {
            process: 'waiting',
            status: 'idle',
            task_id: null,
            exit_code: input.exitCode,
            token_hash: null,
            last_heartbeat: context.now,
          },
        ),
        `Agent ${agent.id}`,
      )
    } else {
      await endAgent(context, agent, { exit_code: input.exitCode })
    }
    return {
      settled: true,
      taskId: agent.task_id,
      decided: held.length > 0,
      goesOn,
      ended: await endedOf(db, held),
      waiting: await waitingOf(db, held),
    }
  },
  subject: ({ settled, taskId, decided, goesOn, ended, waiting }, { agentId, exitCode, verdict, left = [] }) =>
    settled
      ? {
          agentId,
          taskId,
          details: { exitCode, verdict: decided ? verdict.kind : null, goesOn, left: left.length, ended, waiting },
        }
      : null,
})

const settleTask = async (
  context: Context,
  agent: AgentRow,
  task: TaskRow,
  ofRun: z.output<ReturnType<typeof verdict>>,
): Promise<void> => {
  const end = task.id === agent.task_id ? ofRun : besides(agent, ofRun)
  if (agent.stop_requested_at !== null && end.kind !== 'completed') {
    const why = `Agent ${agent.id} was stopped${agent.stop_reason === null ? '' : `: ${agent.stop_reason}`}.`
    return releaseStopped(context, agent, task, why)
  }
  switch (end.kind) {
    case 'completed':
      return void (await completeHeld(context, task, { data: JSON.stringify(end.resultData), artifacts: null }))
    case 'failed':
      return failHeld(context, task, end.error)
    case 'lost':
      return releaseHeld(context, task, { outcome: 'lost', why: end.why })
    case 'unavailable':
      return releaseHeld(context, task, { outcome: 'unavailable', why: end.why, resetsAt: end.resetsAt })
  }
}

/** The result for other tasks of the agent, for which the run's end is never a success. */
const besides = (agent: AgentRow, end: z.output<ReturnType<typeof verdict>>): z.output<ReturnType<typeof verdict>> =>
  end.kind === 'completed'
    ? { kind: 'failed', error: `no-artifact: ${agent.id} ended without completing the task` }
    : end

export const recordStop = operation({
  name: 'record_stop',
  summary: 'Record that a stopped agent has no process left',
  access: 'write',
  authority: 'system',
  input: () => z.strictObject({ agentId, ...runEnd().shape }),
  output: () => z.object({ recorded: z.boolean() }),
  run: async (context, input) => {
    const { run, exitCode } = input
    const agent = await findAgent(context.db, input.agentId)
    if (agent.run !== run || agent.stop_requested_at === null || agent.status === 'terminated')
      return { recorded: false }
    await endRun(context, agent, input)
    await endStopped(context, agent, agent.stop_reason ?? 'stopped', { exit_code: exitCode })
    if (input.memory) await rememberRun(context, agent.id, run, input.memory)
    else if (agent.process === 'wanted' && agent.task_id !== null) {
      // Stopped before it began.
      const attempt = (await selectAttempts(context.db, agent.task_id)).findLast(
        ({ agent_id }) => agent_id === agent.id,
      )
      if (attempt) await rememberWithoutRun(context, agent, attempt)
    }
    return { recorded: true }
  },
  subject: ({ recorded }, { agentId, exitCode, left = [] }) =>
    recorded ? { agentId, details: { exitCode, left: left.length } } : null,
})

/** The end of run N of an agent's process, with its report and usage. */
const runEnd = lazyObject(() => ({
  run: z.int().min(1),
  exitCode: z.int().nullable(),
  report: runReport().optional(),
  use: contextUse().optional(),
  memory: runMemory().optional(),
  /** Processes that still run after the kill, because they left the session and cleared their environment. */
  left: z
    .array(z.object({ pid: z.int(), name: text(100) }))
    .max(100)
    .default([]),
  denied: z
    .array(z.object({ tool: text(200), about: text(4000) }))
    .max(50)
    .default([]),
}))

/** Records the usage, the report and the denied actions of an ended run. */
const endRun = async (
  context: Context,
  agent: AgentRow,
  { run, exitCode, report, use, denied, left }: z.output<ReturnType<typeof runEnd>>,
): Promise<void> => {
  const { db, now } = context
  if (report) await recordReport(context, agent.id, run, report)
  await endMessages(context, agent.id, run, (report?.problem ?? null) === null)
  if (use) await recordContext(context, agent.id, run, use)
  await changeRun(db, agent.id, run, { ended_at: now, exit_code: exitCode })
  await setAgent(db, agent.id, { metadata: left.length === 0 ? null : JSON.stringify({ left }) })
  if (left.length > 0 && agent.task_id !== null) {
    const message = `The run of ${agent.id} has ended, but ${leftWords(left)}`
    await insertTaskLog(db, {
      task_id: agent.task_id,
      agent_id: agent.id,
      level: 'warn',
      message,
      attempt: null,
      percent: null,
      logged_at: now,
    })
  }
  await setPaused(db, agent.id, run, null)
  if (agent.task_id !== null) await recordDenials(context, agent, agent.task_id, denied)
}

export const recordCommits = operation({
  name: 'record_commits',
  summary: 'Record the commits that were made during an attempt',
  access: 'beat',
  authority: 'system',
  input: () =>
    z.strictObject({
      taskId,
      attempt: z.int().min(1),
      branch: text(400),
      commits: z.array(z.object({ oid: text(64), author: text(1000), at: z.string(), subject: text(2000) })).max(1000),
    }),
  output: () => z.object({ recorded: z.boolean() }),
  run: async ({ db }, { taskId, attempt, branch, commits }) => {
    const recorded = await markCommitsRecorded(db, taskId, attempt)
    if (recorded)
      await insertCommits(
        db,
        commits.map(({ oid, author, at, subject }, position) => ({
          task_id: taskId,
          attempt,
          oid,
          position,
          branch,
          author,
          committed_at: at,
          subject,
        })),
      )
    return { recorded }
  },
})
