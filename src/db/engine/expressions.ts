import { type Expression, type RawBuilder, sql } from 'kysely'
import type { Span } from '../../domain/session/span.ts'
import { type Instant, milliseconds } from '../../domain/words/time.ts'

/** Seconds from one instant to another, at least 0. */
export const secondsBetween = (from: Expression<Instant | null>, to: Expression<Instant | null>): RawBuilder<number> =>
  sql<number>`max(0.0, unixepoch(${to}, 'subsec') - unixepoch(${from}, 'subsec'))`

/** The later of two instants. */
export const latest = (one: Expression<Instant>, other: Expression<Instant>): RawBuilder<Instant> =>
  sql<Instant>`max(${one}, ${other})`

/**
 * The number of a second's (since 1970) bucket; seconds outside belong to the nearest. Large parameters arrive as
 * floating point, hence the last CAST.
 */
export const bucketOfSecond = (second: Expression<unknown>, { start, step, buckets }: Span): RawBuilder<number> =>
  sql<number>`CAST(min(${buckets - 1}, max(0, (${second} * 1000 - ${milliseconds(start)}) / ${step})) AS INTEGER)`
