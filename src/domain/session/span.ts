import { elapsed, type Instant, instant, milliseconds } from '../words/time.ts'

/**
 * A stretch of time in buckets of the same length; the first begins at a round time at or before `from`, the last ends
 * after `to`.
 */
export interface Span {
  readonly from: Instant
  readonly to: Instant
  /** The beginning of the first bucket. */
  readonly start: Instant
  /** The length of a bucket (ms). */
  readonly step: number
  readonly buckets: number
}

export const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]

/** An hour is used if it is neither too fine nor too coarse. */
const steps = [
  10 * second,
  30 * second,
  minute,
  2 * minute,
  5 * minute,
  10 * minute,
  15 * minute,
  30 * minute,
  hour,
  2 * hour,
  6 * hour,
  12 * hour,
  day,
  7 * day,
  28 * day,
]

/** The most buckets that can be distinguished on a page and on a wide terminal. */
const MOST = 48

export const spanOf = (from: Instant, to: Instant, most = MOST): Span => {
  const end = elapsed(from, to) < 0 ? from : to
  const fitting = steps.find((step) => bucketsIn(from, end, step) <= most)
  // Longer sessions have buckets of as many days as necessary.
  const step = fitting ?? Math.ceil(elapsed(from, end) / (most - 1) / day) * day
  return { from, to: end, start: instant(startOf(from, step)), step, buckets: bucketsIn(from, end, step) }
}

/** Lengths of which every longer bucket is a multiple. */
const stretches = [5 * minute, minute, 30 * second, 10 * second]

/**
 * The beginning (ms) of the stretch of time for an event at `at` in a session that began at `from`: a stretch is always
 * inside one bucket, however long the session becomes.
 */
export const stretchBegin = (from: Instant | undefined, at: Instant): number => {
  const step = from === undefined ? Infinity : spanOf(from, at).step
  return startOf(
    at,
    stretches.find((length) => length <= step)!,
  )
}

const startOf = (from: Instant, step: number): number => Math.floor(milliseconds(from) / step) * step

const bucketsIn = (from: Instant, to: Instant, step: number): number =>
  Math.floor((milliseconds(to) - startOf(from, step)) / step) + 1

/** The bucket of an instant; instants outside belong to the nearest. */
export const bucketOf = ({ start, step, buckets }: Span, at: Instant): number =>
  Math.min(buckets - 1, Math.max(0, Math.floor(elapsed(start, at) / step)))

/** The beginning of each bucket. */
export const bucketStarts = ({ start, step, buckets }: Span): readonly Instant[] =>
  Array.from({ length: buckets }, (_, n) => instant(milliseconds(start) + n * step))

/**
 * The range of each bucket: from an instant (inclusive) to another (exclusive). With `behind`, one more bucket contains
 * everything later.
 */
export const bucketRanges = (
  span: Span,
  behind = false,
): readonly { readonly bucket: number; readonly from: Instant; readonly before: Instant }[] => {
  const starts = bucketStarts(span)
  const end = instant(milliseconds(span.to) + 1)
  const inside = starts.map((start, bucket) => ({
    bucket,
    from: bucket === 0 ? span.from : start,
    before: starts[bucket + 1] ?? end,
  }))
  return behind
    ? [...inside, { bucket: span.buckets, from: end, before: instant(milliseconds('9999-12-31T23:59:59.999Z')) }]
    : inside
}

/**
 * At least one and at most `most` stretches of about the same length, which stay the same while the session continues.
 */
export const stretchesOf = (
  span: Span,
  most: number,
): readonly { readonly from: Instant; readonly before: Instant }[] => {
  const ranges = bucketRanges(span)
  const together = Math.max(1, Math.ceil(span.buckets / Math.max(1, most)))
  const pieces = Math.max(1, Math.floor(most / span.buckets))
  if (pieces === 1)
    return ranges
      .filter(({ bucket }) => bucket % together === 0)
      .map(({ bucket, from }) => ({ from, before: ranges[Math.min(ranges.length, bucket + together) - 1]!.before }))
  const at = (range: number, piece: number): Instant =>
    instant(milliseconds(span.start) + range * span.step + Math.round((piece * span.step) / pieces))
  return ranges
    .flatMap(({ bucket }) =>
      Array.from({ length: pieces }, (_, piece) => ({ from: at(bucket, piece), before: at(bucket, piece + 1) })),
    )
    .filter(({ from, before }) => before > span.from && from <= span.to)
    .map(({ from, before }) => ({ from: from < span.from ? span.from : from, before }))
}
