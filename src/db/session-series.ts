import { type RawBuilder, sql } from 'kysely'
import { bucketRanges, type Span } from '../domain/session/span.ts'
import type { Instant } from '../domain/words/time.ts'
import type { Db } from './engine/db.ts'
import { bucketOfSecond, secondOf } from './engine/expressions.ts'
import type { TokenColumns, UsageColumns } from './schema/columns.ts'
import type { AttemptOutcome } from './schema/tasks.ts'

// Series for the plots of a session. Every statement aggregates inside SQLite and returns a few hundred rows whatever
// the size of the board.

/** Attempts that ended in the span, by bucket and outcome. */
export const countEndings = (
  db: Db,
  span: Span,
): Promise<readonly { bucket: number; outcome: AttemptOutcome; value: number }[]> =>
  countIn(
    db,
    bucketRanges(span),
    outcomes,
    (low, high, outcome) =>
      sql`SELECT count(*) FROM task_attempts WHERE outcome = ${outcome} AND ended_at >= ${low} AND ended_at < ${high}`,
  )

/** Tasks by the bucket of their creation; those created after the span are in one more bucket after the last. */
export const countCreated = (db: Db, span: Span): Promise<readonly { bucket: number; value: number }[]> =>
  countIn(
    db,
    bucketRanges(span, true),
    [''],
    (low, high) => sql`SELECT count(*) FROM tasks WHERE created_at >= ${low} AND created_at < ${high}`,
  )

/** As `countCreated`, by when they were completed, failed finally or were cancelled. */
export const countClosed = (db: Db, span: Span): Promise<readonly { bucket: number; value: number }[]> =>
  countIn(
    db,
    bucketRanges(span, true),
    ['completed', 'failed', 'cancelled'],
    (low, high, state) =>
      sql`SELECT count(*) FROM task_status WHERE status = ${state} AND completed_at >= ${low} AND completed_at < ${high}`,
  )

/** Integrated worktrees. */
export const countIntegrated = (db: Db, span: Span): Promise<readonly { bucket: number; value: number }[]> =>
  countIn(
    db,
    bucketRanges(span),
    ['integrated'],
    (low, high, state) =>
      sql`SELECT count(*) FROM integrations WHERE status = ${state} AND ended_at >= ${low} AND ended_at < ${high}`,
  )

const outcomes: readonly AttemptOutcome[] = [
  'completed',
  'failed',
  'cancelled',
  'lost',
  'terminated',
  'not_started',
  'unavailable',
]

/**
 * The number of rows of each kind in each bucket. It counts between two text bounds in an index, because otherwise
 * every row's time would be converted (measured at 100,000 tasks, with the lanes: 16 ms for 300).
 */
const countIn = async <Kind extends string>(
  db: Db,
  ranges: ReturnType<typeof bucketRanges>,
  kinds: readonly Kind[],
  count: (low: RawBuilder<unknown>, high: RawBuilder<unknown>, kind: RawBuilder<unknown>) => RawBuilder<unknown>,
): Promise<readonly { bucket: number; outcome: Kind; value: number }[]> => {
  const buckets = sql.join(ranges.map(({ bucket, from, before }) => sql`(${sql.lit(bucket)}, ${from}, ${before})`))
  const { rows } = await sql<{ bucket: number; outcome: Kind; value: number }>`
    WITH buckets(bucket, low, high) AS (VALUES ${buckets}), kinds(kind) AS (VALUES ${sql.join(kinds.map((kind) => sql`(${kind})`))})
    SELECT bucket, kind AS outcome, (${count(sql`buckets.low`, sql`buckets.high`, sql`kinds.kind`)}) AS value FROM buckets CROSS JOIN kinds`.execute(
    db,
  )
  return rows.filter(({ value }) => value > 0)
}

interface LaneRow {
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

/**
 * The usage of a session's runs: tokens in the bucket of their report, the price of a run distributed like its tokens.
 * A run without reports counts where it ended, or in the last bucket while it is running. Reads some runs at a time,
 * those after `after`: of 2,000 runs with 40 steps each, all took 36 ms at once, and each of these pieces 2. `next` is
 * where to continue, null at the end; the same bucket comes in many pieces.
 */
export const sumUsage = async (
  db: Db,
  sessionId: string,
  span: Span,
  after: RunKey | null,
): Promise<{ readonly rows: readonly UsageRow[]; readonly next: RunKey | null }> => {
  const behind = after ?? { agent_id: '', run: 0 }
  const runs = await runsBehind(db, sessionId, behind)
    .orderBy('agent_id')
    .orderBy('run')
    .limit(RUNS_AT_ONCE)
    .select(['agent_id', 'run'])
    .execute()
  const last = runs.at(-1)
  if (!last) return { rows: [], next: null }
  const rows = await runsBehind(db, sessionId, behind)
    .where(sql<boolean>`(run_sessions.agent_id, run_sessions.run) <= (${last.agent_id}, ${last.run})`)
    .innerJoin('agent_runs', (join) =>
      join.onRef('agent_runs.agent_id', '=', 'run_sessions.agent_id').onRef('agent_runs.run', '=', 'run_sessions.run'),
    )
    .leftJoin('usage_steps', (join) =>
      join.onRef('usage_steps.agent_id', '=', 'agent_runs.agent_id').onRef('usage_steps.run', '=', 'agent_runs.run'),
    )
    .select([
      bucketOfSecond(
        sql`coalesce(usage_steps.at, ${secondOf(sql`coalesce(agent_runs.ended_at, ${span.to})`)})`,
        span,
      ).as('bucket'),
      toldTokens('tokens_in').as('tokens_in'),
      toldTokens('tokens_out').as('tokens_out'),
      toldTokens('tokens_cached').as('tokens_cached'),
      sql<
        number | null
      >`sum(CASE WHEN agent_runs.cost_usd > ${sql.lit(NOTHING)} THEN agent_runs.cost_usd * ${shareOfRun} WHEN agent_runs.cost_usd IS NOT NULL THEN 0 END)`.as(
        'cost_usd',
      ),
      sql<number>`coalesce(sum(CASE WHEN agent_runs.cost_usd IS NULL THEN ${told('tokens_in')} + ${told('tokens_out')} END), 0)`.as(
        'tokens_unpriced',
      ),
    ])
    .groupBy('bucket')
    .execute()
  return { rows, next: runs.length < RUNS_AT_ONCE ? null : last }
}

interface RunKey {
  readonly agent_id: string
  readonly run: number
}

interface UsageRow extends UsageColumns {
  readonly bucket: number
}

const RUNS_AT_ONCE = 100

const runsBehind = (db: Db, sessionId: string, { agent_id, run }: RunKey) =>
  db
    .selectFrom('run_sessions')
    .where('run_sessions.session_id', '=', sessionId)
    .where(sql<boolean>`(run_sessions.agent_id, run_sessions.run) > (${agent_id}, ${run})`)

const told = (column: keyof TokenColumns) =>
  sql`coalesce(${sql.ref(`usage_steps.${column}`)}, ${sql.ref(`agent_runs.${column}`)})`

const toldTokens = (column: keyof TokenColumns) => sql<number>`sum(${told(column)})`

/** A cost up to this (USD) is counted as 0: PostgreSQL refuses a product that is too small for its numbers. */
const NOTHING = 1e-100

/** The share of a step in the tokens of its run; if there are none, all steps have the same share. */
const shareOfRun = sql`CASE
  WHEN usage_steps.at IS NULL THEN 1
  WHEN agent_runs.tokens_in + agent_runs.tokens_out > 0 THEN (usage_steps.tokens_in + usage_steps.tokens_out) * 1.0 / (agent_runs.tokens_in + agent_runs.tokens_out)
  ELSE 1.0 / (SELECT count(*) FROM usage_steps AS all_steps WHERE all_steps.agent_id = agent_runs.agent_id AND all_steps.run = agent_runs.run) END`
