import { z } from 'zod'
import { selectHeldTasks } from '../../db/agents.ts'
import { selectAttempts } from '../../db/attempts.ts'
import type { AgentRow } from '../../db/schema/agents.ts'
import { endAgent } from '../agents/steps/agent-rows.ts'
import { saidText } from '../memory/dual-memory.ts'
import { releaseHeld, waitingOf, waitingTask, type WaitingTask } from '../tasks/attempts.ts'
import type { Context } from '../perform/core.ts'
import { findAgent, findTask } from '../perform/find.ts'
import { agentId, text } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { rememberWithoutRun } from '../memory/attempts.ts'

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
