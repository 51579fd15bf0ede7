import { z } from 'zod'
import { selectRuns } from '../../db/runs.ts'
import { findAgent } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { agentId, lazyObject } from '../perform/schemas.ts'

/** One run of an agent's process: its start, its usage, its end. */
const agentRunView = lazyObject(() => ({
  agentId: z.string(),
  run: z.int(),
  taskId: z.int().nullable(),
  attempt: z.int().nullable(),
  kind: z.string(),
  model: z.string().nullable(),
  session: z.string().nullable(),
  resumed: z.boolean(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  exitCode: z.int().nullable(),
  tokensIn: z.int(),
  tokensOut: z.int(),
  tokensCached: z.int(),
  costUsd: z.number().nullable(),
  said: z.string().nullable(),
  problem: z.string().nullable(),
}))
export type AgentRunView = z.output<ReturnType<typeof agentRunView>>

export const getAgentRuns = operation({
  name: 'get_agent_runs',
  summary: 'List the runs of an agent: usage, last message and outcome',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ agentId }),
  output: () => z.array(agentRunView()),
  run: async ({ db }, { agentId }) => {
    await findAgent(db, agentId)
    return (await selectRuns(db, { agentId })).map((row) => ({
      agentId: row.agent_id,
      run: row.run,
      taskId: row.task_id,
      attempt: row.attempt,
      kind: row.kind,
      model: row.model,
      session: row.cli_session,
      resumed: row.resumed === 1,
      startedAt: row.started_at,
      endedAt: row.ended_at,
      exitCode: row.exit_code,
      tokensIn: row.tokens_in,
      tokensOut: row.tokens_out,
      tokensCached: row.tokens_cached,
      costUsd: row.cost_usd,
      said: row.said,
      problem: row.problem,
    }))
  },
})
