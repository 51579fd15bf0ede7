import { z } from 'zod'
import { selectHeldTasks } from '../db/agents.ts'
import { retire } from './kernel/crew.ts'
import { findAgent, findTask } from './kernel/find.ts'
import { agentId, text } from './kernel/inputs.ts'
import { operation } from './kernel/operation.ts'
import { releaseHeld } from './kernel/task-steps.ts'

export const recordLaunchFailure = operation({
  name: 'record_launch_failure',
  summary: 'Record that run N of an agent could not be started; burns no retry',
  access: 'write',
  authority: 'system',
  input: z.strictObject({ agentId, run: z.int().min(1), error: text(4000) }),
  output: z.object({ recorded: z.boolean() }),
  run: async (context, { agentId, run, error }) => {
    const agent = await findAgent(context.db, agentId)
    if (agent.process !== 'wanted' || agent.run !== run) return { recorded: false }
    for (const held of await selectHeldTasks(context.db, [agentId])) await releaseHeld(context, await findTask(context.db, held.task_id), { outcome: 'not_started', why: error })
    await retire(context, agent, { launch_error: error })
    return { recorded: true }
  },
  subject: ({ recorded }, { agentId, error }) => (recorded ? { agentId, details: { error } } : null),
})
