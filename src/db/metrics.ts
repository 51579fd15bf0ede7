import { type Expression, sql } from 'kysely'
import type { AgentState } from '../domain/agent/agent.ts'
import type { IntegrationState } from '../domain/integration/integration.ts'
import type { RequestKind } from '../domain/request/request.ts'
import type { Instant } from '../domain/words/time.ts'
import type { AttemptOutcome } from './schema/tasks.ts'
import type { Db } from './engine/db.ts'
import { latest, secondsBetween } from './engine/expressions.ts'
import { available } from './task-filter.ts'

// Metrics for monitoring. Every statement aggregates inside SQLite, in one pass over one table (or over the range of an
// index), and returns a few rows whatever the size of the board: at 100,000 tasks with as many attempts all of them
// together take about half a second (measured), none of it for rows in JavaScript. Live, open and waiting rows are
// counted through their own indexes, and triggers maintain the number of tasks by state (`countByStatus`).

/** The number of values up to each bound, with their total number and sum. */
export interface Distribution {
  readonly buckets: readonly { readonly upTo: number; readonly count: number }[]
  readonly count: number
  readonly sum: number
}

/** Attempts by the kind of agent and the outcome; null for those in progress. */
export const sumAttempts = (
  db: Db,
): Promise<
  readonly {
    kind: string
    outcome: AttemptOutcome | null
    attempts: number
    tokens_in: number
    tokens_out: number
    cost_usd: number
  }[]
> =>
  db
    .selectFrom('task_attempts')
    .innerJoin('agents', 'agents.id', 'task_attempts.agent_id')
    .select(({ fn }) => [
      'agents.kind',
      'task_attempts.outcome',
      fn.countAll<number>().as('attempts'),
      fn.coalesce(fn.sum<number>('tokens_in'), sql.lit(0)).as('tokens_in'),
      fn.coalesce(fn.sum<number>('tokens_out'), sql.lit(0)).as('tokens_out'),
      fn.coalesce(fn.sum<number>('cost_usd'), sql.lit(0)).as('cost_usd'),
    ])
    .groupBy(['agents.kind', 'task_attempts.outcome'])
    .orderBy('agents.kind')
    // The engines do not agree where a missing value comes.
    .orderBy('task_attempts.outcome', (order) => order.asc().nullsFirst())
    .execute()

/** Seconds from the claim to the end of the attempt that completed each task. */
export const distributeDurations = (db: Db, bounds: readonly number[]): Promise<Distribution> =>
  distribute(
    db
      .selectFrom('task_status')
      .where('status', '=', 'completed')
      .select((eb) => secondsBetween(eb.ref('claimed_at'), eb.ref('completed_at')).as('seconds')),
    db,
    bounds,
  )

/**
 * Seconds from the time when each task could first be claimed (its creation or its last dependency) to its first claim.
 */
export const distributeWaits = (db: Db, bounds: readonly number[]): Promise<Distribution> =>
  distribute(
    db
      .selectFrom('task_attempts')
      .innerJoin('tasks', 'tasks.id', 'task_attempts.task_id')
      .leftJoin(unblocked(db), 'unblocked.task_id', 'task_attempts.task_id')
      .where('task_attempts.attempt', '=', 1)
      .select((eb) =>
        secondsBetween(
          dueSince(eb.ref('tasks.created_at'), eb.ref('unblocked.at')),
          eb.ref('task_attempts.claimed_at'),
        ).as('seconds'),
      ),
    db,
    bounds,
  )

/** The tasks that could be claimed now, and since when the longest waiting one. */
export const sumClaimable = (db: Db, at: Instant): Promise<{ tasks: number; since: Instant | null }> =>
  db
    .selectFrom('tasks')
    .innerJoin('task_status', 'task_status.task_id', 'tasks.id')
    .leftJoin(unblocked(db), 'unblocked.task_id', 'tasks.id')
    .where(available(at))
    .select((eb) => {
      const first = dueSince(eb.ref('tasks.created_at'), eb.ref('unblocked.at'))
      // A retry waits since the end of its delay, or since it became pending again.
      const retried = latest(eb.ref('task_status.changed_at'), sql`coalesce(${eb.ref('task_status.not_before')}, '')`)
      return [eb.fn.countAll<number>().as('tasks'), sql<Instant | null>`min(${latest(first, retried)})`.as('since')]
    })
    .executeTakeFirstOrThrow()

/** Agents that have not ended, and the oldest heartbeat of each group. */
export const sumAgents = (
  db: Db,
): Promise<readonly { persona_id: string; kind: string; status: AgentState; agents: number; heard: Instant }[]> =>
  db
    .selectFrom('agents')
    .where('status', '<>', sql.lit('terminated'))
    .where('kind', 'not in', ['person', 'system'])
    .select(({ fn }) => [
      'persona_id',
      'kind',
      'status',
      fn.countAll<number>().as('agents'),
      fn.min('last_heartbeat').as('heard'),
    ])
    .groupBy(['persona_id', 'kind', 'status'])
    .orderBy('persona_id')
    .orderBy('kind')
    .orderBy('status')
    .execute()

export const countIntegrations = (db: Db): Promise<readonly { status: IntegrationState; integrations: number }[]> =>
  db
    .selectFrom('integrations')
    .select(({ fn }) => ['status', fn.countAll<number>().as('integrations')])
    .groupBy('status')
    .execute()

/** Open requests to a person. */
export const countOpenRequests = (db: Db): Promise<readonly { kind: RequestKind; requests: number }[]> =>
  db
    .selectFrom('requests')
    // A literal lets SQLite use the partial index, which a parameter does not.
    .where('status', '=', sql.lit('open' as const))
    .select(({ fn }) => ['kind', fn.countAll<number>().as('requests')])
    .groupBy('kind')
    .execute()

/** The number of pending deliveries to hooks. */
export const countWaitingDeliveries = async (db: Db): Promise<number> =>
  (
    await db
      .selectFrom('hook_deliveries')
      .where('next_try_at', 'is not', null)
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow()
  ).n

/**
 * When the last dependency of each task with dependencies was completed: one pass over the edges instead of one query
 * per task.
 */
const unblocked = (db: Db) =>
  db
    .selectFrom('task_dependencies')
    .innerJoin('task_status as needed', 'needed.task_id', 'task_dependencies.depends_on')
    .select(({ fn }) => ['task_dependencies.task_id', fn.max('needed.completed_at').as('at')])
    .groupBy('task_dependencies.task_id')
    .as('unblocked')

/** When a task could first be claimed. */
const dueSince = (created: Expression<Instant>, unblockedAt: Expression<Instant | null>): Expression<Instant> =>
  latest(created, sql`coalesce(${unblockedAt}, '')`)

/** `MATERIALIZED` computes the values once; merged into the sums they would be computed again for every bound. */
const distribute = async (
  values: Expression<{ seconds: number }>,
  db: Db,
  bounds: readonly number[],
): Promise<Distribution> => {
  const counts = bounds.map((bound, at) => sql`count(*) FILTER (WHERE seconds <= ${bound}) AS ${sql.ref(`b${at}`)}`)
  const row = (
    await sql<
      Record<string, number>
    >`WITH observed AS MATERIALIZED ${values} SELECT ${sql.join([...counts, sql`count(*) AS n`, sql`coalesce(sum(seconds), 0) AS total`])} FROM observed`.execute(
      db,
    )
  ).rows[0]!
  return { buckets: bounds.map((upTo, at) => ({ upTo, count: row[`b${at}`]! })), count: row['n']!, sum: row['total']! }
}
