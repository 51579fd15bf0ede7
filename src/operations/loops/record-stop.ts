import { z } from 'zod'
import { selectAttempts } from '../../db/attempts.ts'
import { findAgent } from '../perform/find.ts'
import { agentId } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { rememberRun, rememberWithoutRun } from '../memory/attempts.ts'
import { endRun, runEnd } from './run-end.ts'
import { endStopped } from '../agents/steps/stop-agents.ts'

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
