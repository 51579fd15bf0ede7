import { sql } from 'kysely'
import type { UsageColumns, UsageScope } from './cost-tables.ts'
import type { Db } from './sqlite.ts'

// What agents, tasks and sessions have used: sums that triggers keep, so that reading them is one look-up each.

/** Tokens, in and out, of runs whose price nobody has told. */
export const unpricedTokens = sql<number>`coalesce(sum(CASE WHEN agent_runs.cost_usd IS NULL THEN agent_runs.tokens_in + agent_runs.tokens_out END), 0)`

export const selectUsage = async (db: Db, scope: UsageScope, subjects: readonly string[]): Promise<ReadonlyMap<string, UsageColumns>> => {
  if (subjects.length === 0) return new Map()
  const rows = await db
    .selectFrom('usage_totals')
    .leftJoin('unpriced_totals as unpriced', (join) => join.onRef('unpriced.scope', '=', 'usage_totals.scope').onRef('unpriced.subject', '=', 'usage_totals.subject'))
    .where('usage_totals.scope', '=', scope)
    .where('usage_totals.subject', 'in', [...subjects])
    .select(['usage_totals.subject', 'tokens_in', 'tokens_out', 'tokens_cached', 'cost_usd'])
    .select((eb) => eb.fn.coalesce('unpriced.tokens', eb.val(0)).as('tokens_unpriced'))
    .execute()
  return new Map(rows.map((row) => [row.subject, row]))
}

/** What the runs of a session have used, by the agent, its kind and its task; the dearest first. Reads every run of the session. */
export const selectUsageOfSession = (db: Db, sessionId: string) =>
  db
    .selectFrom('run_sessions')
    .innerJoin('agent_runs', (join) => join.onRef('agent_runs.agent_id', '=', 'run_sessions.agent_id').onRef('agent_runs.run', '=', 'run_sessions.run'))
    .leftJoin('tasks', 'tasks.id', 'agent_runs.task_id')
    .where('run_sessions.session_id', '=', sessionId)
    .select(['agent_runs.agent_id', 'agent_runs.kind', 'agent_runs.task_id', 'tasks.title'])
    .select(({ fn }) => [
      fn.sum<number>('agent_runs.tokens_in').as('tokens_in'),
      fn.sum<number>('agent_runs.tokens_out').as('tokens_out'),
      fn.sum<number>('agent_runs.tokens_cached').as('tokens_cached'),
      fn.sum<number | null>('agent_runs.cost_usd').as('cost_usd'),
    ])
    .select(unpricedTokens.as('tokens_unpriced'))
    .groupBy(['agent_runs.agent_id', 'agent_runs.kind', 'agent_runs.task_id', 'tasks.title'])
    .execute()
