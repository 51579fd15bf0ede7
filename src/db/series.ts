import { type RawBuilder, sql } from 'kysely'
import { bucketRanges, type Span } from '../domain/session/span.ts'
import type { AttemptOutcome } from './schema/tasks.ts'
import type { Db } from './engine/db.ts'

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
