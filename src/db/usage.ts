import { sql } from 'kysely'
import type { Instant } from '../domain/words/time.ts'
import type { TokenColumns, UsageColumns, UsageScope } from './schema/costs.ts'
import type { Db } from './engine/db.ts'

// The usage of agents, tasks and sessions: sums maintained by triggers, so that each read is one look-up; and when it
// occurred.

/** Tokens, in and out, of runs without a price. */
const unpricedTokens = sql<number>`coalesce(sum(CASE WHEN agent_runs.cost_usd IS NULL THEN agent_runs.tokens_in + agent_runs.tokens_out END), 0)`

export const selectUsage = async (
  db: Db,
  scope: UsageScope,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, UsageColumns>> => {
  if (subjects.length === 0) return new Map()
  const rows = await db
    .selectFrom('usage_totals')
    .leftJoin('unpriced_totals as unpriced', (join) =>
      join.onRef('unpriced.scope', '=', 'usage_totals.scope').onRef('unpriced.subject', '=', 'usage_totals.subject'),
    )
    .where('usage_totals.scope', '=', scope)
    .where('usage_totals.subject', 'in', [...subjects])
    .select(['usage_totals.subject', 'tokens_in', 'tokens_out', 'tokens_cached', 'cost_usd'])
    .select((eb) => eb.fn.coalesce('unpriced.tokens', eb.val(0)).as('tokens_unpriced'))
    .execute()
  return new Map(rows.map((row) => [row.subject, row]))
}

/** The usage of a session's runs, by agent, kind and task; the most expensive first. Reads every run of the session. */
export const selectUsageOfSession = (db: Db, sessionId: string) =>
  db
    .selectFrom('run_sessions')
    .innerJoin('agent_runs', (join) =>
      join.onRef('agent_runs.agent_id', '=', 'run_sessions.agent_id').onRef('agent_runs.run', '=', 'run_sessions.run'),
    )
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

/** When the session of a run began; undefined for a run outside of any. */
export const selectSessionStart = async (db: Db, agentId: string, run: number): Promise<Instant | undefined> => {
  const row = await db
    .selectFrom('run_sessions')
    .innerJoin('sessions', 'sessions.id', 'run_sessions.session_id')
    .where('run_sessions.agent_id', '=', agentId)
    .where('run_sessions.run', '=', run)
    .select('sessions.started_at')
    .executeTakeFirst()
  return row?.started_at
}

/**
 * Adds the usage of a run beyond its recorded one to the step of time that begins at `at` (seconds since 1970). If its
 * CLI reports less than before, the latest steps are reduced.
 */
export const recordUsageStep = async (
  db: Db,
  { agent_id, run, at }: { agent_id: string; run: number; at: number },
  used: TokenColumns,
): Promise<void> => {
  const known = await db
    .selectFrom('usage_steps')
    .where('agent_id', '=', agent_id)
    .where('run', '=', run)
    .selectAll()
    .orderBy('at', 'desc')
    .execute()
  const more = { ...used }
  for (const step of known) for (const column of tokenColumns) more[column] -= step[column]
  for (const { at: earlier, ...step } of known.filter(() => tokenColumns.some((column) => more[column] < 0))) {
    const change: Partial<TokenColumns> = {}
    for (const column of tokenColumns) {
      const back = Math.max(-step[column], Math.min(0, more[column]))
      more[column] -= back
      if (back < 0) change[column] = step[column] + back
    }
    if (Object.keys(change).length > 0)
      await db
        .updateTable('usage_steps')
        .set(change)
        .where('agent_id', '=', agent_id)
        .where('run', '=', run)
        .where('at', '=', earlier)
        .execute()
  }
  if (tokenColumns.every((column) => more[column] <= 0)) return
  await db
    .insertInto('usage_steps')
    .values({ agent_id, run, at, ...more })
    .onConflict((conflict) =>
      conflict.columns(['agent_id', 'run', 'at']).doUpdateSet((eb) => ({
        tokens_in: eb('usage_steps.tokens_in', '+', eb.ref('excluded.tokens_in')),
        tokens_out: eb('usage_steps.tokens_out', '+', eb.ref('excluded.tokens_out')),
        tokens_cached: eb('usage_steps.tokens_cached', '+', eb.ref('excluded.tokens_cached')),
      })),
    )
    .execute()
}

const tokenColumns = ['tokens_in', 'tokens_out', 'tokens_cached'] as const
