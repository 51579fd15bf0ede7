import { clockTime, elapsed, type Instant, instant, milliseconds } from '../words/time.ts'

// Converts the events of a session to numbers for plots.

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

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]

/** An hour is used if it is neither too fine nor too coarse. */
const steps = [10 * second, 30 * second, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 6 * hour, 12 * hour, day, 7 * day, 28 * day]

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

const bucketsIn = (from: Instant, to: Instant, step: number): number => Math.floor((milliseconds(to) - startOf(from, step)) / step) + 1

/** The bucket of an instant; instants outside belong to the nearest. */
export const bucketOf = ({ start, step, buckets }: Span, at: Instant): number => Math.min(buckets - 1, Math.max(0, Math.floor(elapsed(start, at) / step)))

/** The beginning of each bucket. */
export const bucketStarts = ({ start, step, buckets }: Span): readonly Instant[] => Array.from({ length: buckets }, (_, n) => instant(milliseconds(start) + n * step))

/**
 * The range of each bucket: from an instant (inclusive) to another (exclusive). With `behind`, one more bucket contains
 * everything later.
 */
export const bucketRanges = (span: Span, behind = false): readonly { readonly bucket: number; readonly from: Instant; readonly before: Instant }[] => {
  const starts = bucketStarts(span)
  const end = instant(milliseconds(span.to) + 1)
  const inside = starts.map((start, bucket) => ({ bucket, from: bucket === 0 ? span.from : start, before: starts[bucket + 1] ?? end }))
  return behind ? [...inside, { bucket: span.buckets, from: end, before: instant(milliseconds('9999-12-31T23:59:59.999Z')) }] : inside
}

/**
 * At least one and at most `most` stretches of about the same length, which stay the same while the session continues.
 */
export const stretchesOf = (span: Span, most: number): readonly { readonly from: Instant; readonly before: Instant }[] => {
  const ranges = bucketRanges(span)
  const together = Math.max(1, Math.ceil(span.buckets / Math.max(1, most)))
  const pieces = Math.max(1, Math.floor(most / span.buckets))
  if (pieces === 1)
    return ranges.filter(({ bucket }) => bucket % together === 0).map(({ bucket, from }) => ({ from, before: ranges[Math.min(ranges.length, bucket + together) - 1]!.before }))
  const at = (range: number, piece: number): Instant => instant(milliseconds(span.start) + range * span.step + Math.round((piece * span.step) / pieces))
  return ranges
    .flatMap(({ bucket }) => Array.from({ length: pieces }, (_, piece) => ({ from: at(bucket, piece), before: at(bucket, piece + 1) })))
    .filter(({ from, before }) => before > span.from && from <= span.to)
    .map(({ from, before }) => ({ from: from < span.from ? span.from : from, before }))
}

/** A value for every bucket from those that have one; several values of the same bucket are added. */
export const spread = (buckets: number, rows: readonly { readonly bucket: number; readonly value: number }[]): readonly number[] => {
  const values = Array.from({ length: buckets }, () => 0)
  for (const { bucket, value } of rows) values[bucket]! += value
  return values
}

/** Rounds values so that their cumulative sums are rounded: the total is as exact as the rounding. */
export const roundedTo = (round: (value: number) => number, values: readonly number[]): readonly number[] => {
  let exact = 0
  let told = 0
  return values.map((value) => {
    exact += value
    const part = round(round(exact) - told)
    told = round(told + part)
    return part
  })
}

export const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)

/** The number of open tasks at the beginning and at the end of every bucket: one value more than there are buckets. */
export const burnDown = (openAtStart: number, created: readonly number[], closed: readonly number[]): readonly number[] => {
  const open = [openAtStart]
  created.forEach((n, at) => open.push(open[at]! + n - closed[at]!))
  return open
}

/** The position of an instant in a stretch of time, from 0 to 1. */
export const shareOf = ({ from, to }: Pick<Span, 'from' | 'to'>, at: Instant): number => {
  const whole = elapsed(from, to)
  return whole <= 0 ? 0 : Math.min(1, Math.max(0, elapsed(from, at) / whole))
}

/** The values in exactly `columns` columns, each with a share of the buckets; fewer columns keep the sum. */
export const inColumns = (values: readonly number[], columns: number): readonly number[] => {
  if (values.length === 0 || columns <= 0) return []
  if (values.length >= columns) {
    const merged = Array.from({ length: columns }, () => 0)
    values.forEach((value, at) => (merged[Math.floor((at * columns) / values.length)]! += value))
    return merged
  }
  return Array.from({ length: columns }, (_, at) => values[Math.floor((at * values.length) / columns)]!)
}

/** The smallest round number that is not less: the top of an axis. For an integer it is one. */
export const roundUp = (value: number): number => {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  const factor = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((each) => each * power >= value * (1 - 1e-9))!
  return Number((factor * power).toPrecision(3))
}

/** `5m`, `1h`, `7d`: the length of a bucket. */
export const stepWords = (step: number): string => {
  if (step < minute) return `${step / second}s`
  if (step < hour) return `${step / minute}m`
  return step < day ? `${step / hour}h` : `${step / day}d`
}

/** Local time for an axis: to the second or minute, with the day if there are several. */
export const axisTime = ({ from, to, step }: Span, at: Instant): string => {
  const date = new Date(at)
  const dayWords = `${date.getDate()} ${months[date.getMonth()]}`
  if (elapsed(from, to) > 3 * day) return dayWords
  const clock = clockTime(at).slice(0, step < minute ? 8 : 5)
  return elapsed(from, to) > 20 * hour ? `${dayWords} ${clock}` : clock
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const

/** The outcome of an attempt for an overview: one of four words. */
export const endings = ['completed', 'failed', 'stopped', 'working'] as const
export type Ending = (typeof endings)[number]

const endingOf: Readonly<Record<string, Ending>> = {
  completed: 'completed',
  failed: 'failed',
  lost: 'failed',
  not_started: 'failed',
  cancelled: 'stopped',
  // An exhausted quota is not a failure of the work, and uses up no retry.
  unavailable: 'stopped',
  terminated: 'stopped',
}

/** Null is an attempt in progress. */
export const ending = (outcome: string | null): Ending => (outcome === null ? 'working' : (endingOf[outcome] ?? 'failed'))
