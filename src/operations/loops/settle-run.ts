import { z } from 'zod'
import { changeAgent, selectHeldTasks } from '../../db/agents.ts'
import type { AgentRow } from '../../db/schema/agents.ts'
import type { TaskRow } from '../../db/tasks.ts'
import type { Context } from '../perform/core.ts'
import { endAgent } from '../agents/steps/agent-rows.ts'
import { completeHeld, endedOf, endedTask, failHeld, releaseHeld, waitingOf, waitingTask } from '../tasks/attempts.ts'
import { findAgent, findTask, must } from '../perform/find.ts'
import { agentId, json, text } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { rememberRun } from '../memory/attempts.ts'
import { endRun, runEnd } from './run-end.ts'
import { releaseStopped } from '../agents/steps/hand-over.ts'
import { putToSleep } from '../hosts/quotas.ts'
import { once } from '../../domain/words/once.ts'

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
