import { clockTime, elapsed, type Instant } from '../words/time.ts'
import { type Span, second, minute, hour, day } from './span.ts'

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
