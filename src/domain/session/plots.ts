import { clockTime, elapsed, type Instant } from '../words/time.ts'
import { day, hour, minute, second, type Span } from './span.ts'

// Numbers and axes of plots, from the events of a session.

/** A value for every bucket from those that have one; several values of the same bucket are added. */
export const spread = (
  buckets: number,
  rows: readonly { readonly bucket: number; readonly value: number }[],
): readonly number[] => {
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
export const burnDown = (
  openAtStart: number,
  created: readonly number[],
  closed: readonly number[],
): readonly number[] => {
  const open = [openAtStart]
  created.forEach((n, at) => open.push(open[at]! + n - closed[at]!))
  return open
}

/**
 * The line to draw for `burnDown`: where a session began without tasks, it begins with those that were created first,
 * and falls from there.
 */
export const burnLine = (open: readonly number[], created: readonly number[]): readonly number[] => {
  const first = open[0] === 0 ? created.findIndex((n) => n > 0) : -1
  return open.map((n, at) => (at <= first ? created[first]! : n))
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
export const ending = (outcome: string | null): Ending =>
  outcome === null ? 'working' : (endingOf[outcome] ?? 'failed')

/** The position of an instant in a stretch of time, from 0 to 1. */
export const shareOf = ({ from, to }: Pick<Span, 'from' | 'to'>, at: Instant): number => {
  const whole = elapsed(from, to)
  return whole <= 0 ? 0 : Math.min(1, Math.max(0, elapsed(from, at) / whole))
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
