import { sql } from 'kysely'
import type { Span } from '../domain/series.ts'
import type { Instant } from '../domain/time.ts'
import type { AttemptOutcome } from './schema.ts'
import { bucketOf, type Db } from './sqlite.ts'

// What is drawn of a session. Every statement adds up inside SQLite and hands over a few hundred rows whatever the size of
// the board.

/** Attempts that ended in the span, by bucket and outcome; an index has the answer without the rows. */
export const countEndings = (db: Db, span: Span): Promise<readonly { bucket: number; outcome: AttemptOutcome; value: number }[]> =>
  db
    .selectFrom('task_attempts')
    .where('ended_at', '>=', span.from)
    .where('ended_at', '<=', span.to)
    .select((eb) => [bucketOf(eb.ref('ended_at'), span).as('bucket'), eb.ref('outcome').$notNull().as('outcome'), eb.fn.countAll<number>().as('value')])
    .groupBy(['bucket', 'outcome'])
    .orderBy('bucket')
    .execute()

/** What the runs of a session have used, in the bucket in which each ended; those that go on are in the last. */
export const sumUsage = (
  db: Db,
  sessionId: string,
  span: Span,
): Promise<readonly { bucket: number; tokens_in: number; tokens_out: number; tokens_cached: number; cost_usd: number | null }[]> =>
  db
    .selectFrom('run_sessions')
    .innerJoin('agent_runs', (join) => join.onRef('agent_runs.agent_id', '=', 'run_sessions.agent_id').onRef('agent_runs.run', '=', 'run_sessions.run'))
    .where('run_sessions.session_id', '=', sessionId)
    .select((eb) => [
      bucketOf(eb.fn.coalesce('agent_runs.ended_at', eb.val(span.to)), span).as('bucket'),
      eb.fn.sum<number>('agent_runs.tokens_in').as('tokens_in'),
      eb.fn.sum<number>('agent_runs.tokens_out').as('tokens_out'),
      eb.fn.sum<number>('agent_runs.tokens_cached').as('tokens_cached'),
      eb.fn.sum<number | null>('agent_runs.cost_usd').as('cost_usd'),
    ])
    .groupBy('bucket')
    .orderBy('bucket')
    .execute()

/** Tasks by the bucket in which they were made; those made behind the span come in a bucket of their own behind the last. */
export const countCreated = (db: Db, span: Span): Promise<readonly { bucket: number; value: number }[]> =>
  db
    .selectFrom('tasks')
    .where('created_at', '>=', span.from)
    .select((eb) => [orBehind(eb.ref('created_at'), span).as('bucket'), eb.fn.countAll<number>().as('value')])
    .groupBy('bucket')
    .execute()

/** As `countCreated`, by when they were completed, failed for good or were cancelled. */
export const countClosed = (db: Db, span: Span): Promise<readonly { bucket: number; value: number }[]> =>
  db
    .selectFrom('task_status')
    .where('status', 'in', ['completed', 'failed', 'cancelled'])
    .where('completed_at', '>=', span.from)
    .select((eb) => [orBehind(eb.ref('completed_at').$castTo<Instant>(), span).as('bucket'), eb.fn.countAll<number>().as('value')])
    .groupBy('bucket')
    .execute()

/** Worktrees that were let into their target. */
export const countIntegrated = (db: Db, span: Span): Promise<readonly { bucket: number; value: number }[]> =>
  db
    .selectFrom('integrations')
    .where('status', '=', 'integrated')
    .where('ended_at', '>=', span.from)
    .where('ended_at', '<=', span.to)
    .select((eb) => [bucketOf(eb.ref('ended_at').$castTo<Instant>(), span).as('bucket'), eb.fn.countAll<number>().as('value')])
    .groupBy('bucket')
    .execute()

export interface LaneRow {
  readonly agent_id: string
  readonly attempts: number
}

/** Agents with the number of their attempts that touch the span: those with most, then those that came first. */
export const countLanes = (db: Db, span: Span): Promise<readonly LaneRow[]> =>
  touching(db, span)
    .select((eb) => ['agent_id', eb.fn.countAll<number>().as('attempts')])
    // The unary plus keeps SQLite from going through the index of agents, which costs a look-up for every row (measured at 100,000: 103 ms, without 41).
    .groupBy(sql`+agent_id`)
    .orderBy('attempts', 'desc')
    .orderBy(sql`min(claimed_at)`)
    .orderBy('agent_id')
    .execute()

export interface AttemptSpan {
  readonly agent_id: string
  readonly task_id: number
  readonly attempt: number
  readonly title: string
  readonly claimed_at: Instant
  readonly ended_at: Instant | null
  readonly outcome: AttemptOutcome | null
}

/**
 * Attempts of these agents that touch the span, oldest first, of those that are over one in `every`. Which these are depends
 * on nothing but their numbers, scattered so that agents that take turns are thinned out alike.
 */
export const selectSpans = async (db: Db, span: Span, agentIds: readonly string[], { every, limit }: { every: number; limit: number }): Promise<readonly AttemptSpan[]> => {
  if (agentIds.length === 0) return []
  const query = touching(db, span)
    .innerJoin('tasks', 'tasks.id', 'task_attempts.task_id')
    .where(sql<string>`+task_attempts.agent_id`, 'in', [...agentIds])
  const thinned = every === 1 ? query : query.where((eb) => eb.or([eb('ended_at', 'is', null), eb(sql<number>`((task_attempts.task_id * 2654435761) / 65536) % ${every}`, '=', 0)]))
  return thinned
    .select(['task_attempts.agent_id', 'task_attempts.task_id', 'task_attempts.attempt', 'tasks.title', 'claimed_at', 'ended_at', 'outcome'])
    .orderBy('claimed_at')
    .orderBy('task_attempts.task_id')
    .limit(limit)
    .execute()
}

const touching = (db: Db, { from, to }: Span) =>
  db
    .selectFrom('task_attempts')
    .where('claimed_at', '<=', to)
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>=', from)]))

const orBehind = (at: Parameters<typeof bucketOf>[0], span: Span) => sql<number>`CASE WHEN ${at} > ${span.to} THEN ${span.buckets} ELSE ${bucketOf(at, span)} END`
