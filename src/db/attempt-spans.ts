import { sql } from 'kysely'
import type { Span } from '../domain/session/span.ts'
import type { Instant } from '../domain/words/time.ts'
import type { AttemptOutcome } from './schema/tasks.ts'
import type { Db } from './engine/db.ts'

export interface LaneRow {
  readonly agent_id: string
  readonly attempts: number
}

/** Agents with the number of their attempts that overlap the span: those with the most, then the first ones. */
export const countLanes = async (db: Db, span: Span): Promise<readonly LaneRow[]> => {
  const rows = await db
    .selectFrom('agents')
    .select((eb) => {
      const own = eb
        .selectFrom('task_attempts')
        .whereRef('task_attempts.agent_id', '=', 'agents.id')
        .where('claimed_at', '<=', span.to)
      const count = own.select(({ fn }) => fn.countAll<number>().as('n'))
      return [
        'id as agent_id',
        count.where('task_attempts.ended_at', '>=', span.from).as('over'),
        count.where('task_attempts.ended_at', 'is', null).as('open'),
      ]
    })
    .orderBy('registered_at')
    .orderBy('id')
    .execute()
  return rows
    .map(({ agent_id, over, open }) => ({ agent_id, attempts: (over ?? 0) + (open ?? 0) }))
    .filter(({ attempts }) => attempts > 0)
    .sort((a, b) => b.attempts - a.attempts)
}

export interface AttemptSpan {
  readonly agent_id: string
  readonly task_id: number
  readonly attempt: number
  readonly title: string
  readonly claimed_at: Instant
  readonly ended_at: Instant | null
  readonly outcome: AttemptOutcome | null
}

/** All attempts of these agents that overlap the span, oldest first. */
export const selectSpans = async (
  db: Db,
  span: Span,
  agentIds: readonly string[],
  limit: number,
): Promise<readonly AttemptSpan[]> => {
  if (agentIds.length === 0) return []
  const own = spans(db)
    .where('task_attempts.agent_id', 'in', [...agentIds])
    .where('claimed_at', '<=', span.to)
  // Two statements, because SQLite uses an index for each but not for an OR.
  const rows = [
    ...(await own.where('ended_at', 'is', null).limit(limit).execute()),
    ...(await own.where('ended_at', '>=', span.from).orderBy('ended_at').limit(limit).execute()),
  ]
  return rows
    .sort((a, b) => (a.claimed_at < b.claimed_at ? -1 : a.claimed_at > b.claimed_at ? 1 : a.task_id - b.task_id))
    .slice(0, limit)
}

/**
 * For each of these agents the first attempt that ended in each of these steps of time, and those in progress. A step
 * that was drawn stays the same while the session continues, and each costs one index look-up.
 */
export const selectSomeSpans = async (
  db: Db,
  span: Span,
  agentIds: readonly string[],
  stretches: readonly { readonly from: Instant; readonly before: Instant }[],
): Promise<readonly AttemptSpan[]> => {
  if (agentIds.length === 0) return []
  const open = await spans(db)
    .where('task_attempts.agent_id', 'in', [...agentIds])
    .where('claimed_at', '<=', span.to)
    .where('ended_at', 'is', null)
    .execute()
  const lanes = sql.join(agentIds.map((id) => sql`(${id})`))
  const times = sql.join(stretches.map(({ from, before }) => sql`(${from}, ${before})`))
  const first = (column: 'task_id' | 'attempt') => sql`(
    SELECT ${sql.ref(column)} FROM task_attempts
    WHERE agent_id = lanes.id AND ended_at >= stretches.low AND ended_at < stretches.high AND claimed_at <= ${span.to}
    ORDER BY ended_at, claimed_at, task_id, attempt LIMIT 1)`
  // Looked up before the join: PostgreSQL would look for each step again with every attempt.
  const { rows } = await sql<AttemptSpan>`
    WITH lanes(id) AS (VALUES ${lanes}), stretches(low, high) AS (VALUES ${times}),
      found(task_id, attempt) AS MATERIALIZED (
        SELECT ${first('task_id')}, ${first('attempt')} FROM lanes CROSS JOIN stretches)
    SELECT a.agent_id, a.task_id, a.attempt, tasks.title, a.claimed_at, a.ended_at, a.outcome
    FROM found
    JOIN task_attempts AS a ON a.task_id = found.task_id AND a.attempt = found.attempt
    JOIN tasks ON tasks.id = a.task_id
    ORDER BY a.claimed_at, a.task_id`.execute(db)
  return [...rows, ...open]
}

const spans = (db: Db) =>
  db
    .selectFrom('task_attempts')
    .innerJoin('tasks', 'tasks.id', 'task_attempts.task_id')
    .select([
      'task_attempts.agent_id',
      'task_attempts.task_id',
      'task_attempts.attempt',
      'tasks.title',
      'claimed_at',
      'ended_at',
      'outcome',
    ])
