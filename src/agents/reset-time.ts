import { instant, later, milliseconds, type Instant } from '../domain/time.ts'

/**
 * When a limit ends, as far as the sentence tells: `…|1755806400`, `try again in 20s`, `resets at 3pm (Europe/Berlin)`,
 * `retry after 2026-11-21T08:00:00Z`. What is relative counts from `at`, and is unknown without it.
 */
export const resetTime = (sentence: string, at?: Instant): Instant | null => {
  const text = sentence.slice(0, 4000)
  return epoch(text) ?? date(text) ?? (at === undefined ? null : (inAWhile(text, at) ?? atTheClock(text, at)))
}

const valid = (ms: number): Instant | null => (ms > 0 && ms < 253_402_300_800_000 ? instant(ms) : null)

/** Seconds or milliseconds since 1970 after a bar. */
const epoch = (text: string): Instant | null => {
  const digits = /\|\s*(\d{10}|\d{13})\b/.exec(text)?.[1]
  return digits === undefined ? null : valid(Number(digits) * (digits.length === 10 ? 1000 : 1))
}

const date = (text: string): Instant | null => {
  const found = /\b(?:resets?|retry|again|until|available)\b[^\n]{0,40}?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))/i.exec(text)?.[1]
  const ms = found === undefined ? NaN : Date.parse(found.replace(' ', 'T'))
  return Number.isNaN(ms) ? null : valid(ms)
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `try again in 1h2m3.5s`, `retry after 20 seconds`, `reset after 18h`, `Retry-After: 30`. */
const inAWhile = (text: string, at: Instant): Instant | null => {
  const amount = String.raw`\d+(?:\.\d+)?\s*(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)\b`
  const phrase = new RegExp(
    String.raw`\b(?:again in|retry in|resets? in|resets? after|retry[- ]after:?|wait)\s+(?:about |approximately )?((?:${amount}[\s,]*(?:and\s+)?)+)`,
    'i',
  ).exec(glued(text))?.[1]
  if (phrase !== undefined) {
    const ms = [...phrase.matchAll(/(\d+(?:\.\d+)?)\s*(ms|milli|[smhd])/gi)].reduce(
      (sum, [, count, unit]) => sum + Number(count) * units[unit!.toLowerCase().replace('milli', 'ms')]!,
      0,
    )
    return valid(milliseconds(later(at, Math.min(ms, 40 * units.d!))))
  }
  const seconds = /\bretry-after:?\s*(\d{1,7})\b/i.exec(text)?.[1]
  return seconds === undefined ? null : later(at, Number(seconds) * 1000)
}

/** `1h2m3s` with its parts held apart. */
const glued = (text: string): string => text.replace(/(\d(?:ms|[smhd]))(?=\d)/gi, '$1 ')

/** `resets 3pm`, `resets at 15:30 (Europe/Berlin)`, `resets Oct 6, 1pm`: the next such time after `at`, where a zone is told in that zone. */
const atTheClock = (text: string, at: Instant): Instant | null => {
  const pattern =
    /\b(?:resets?|available|again)\b(?:\s+(?:at|on|again))*\s+(?:([A-Z][a-z]{2,8})\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(?:\d{4},?\s+)?(?:at\s+)?)?(\d{1,2})(?::(\d\d))?\s*([ap]\.?m\b)?\.?(?:\s*\(([\w/+-]+)\))?/i
  const [, month, day, hours, minutes, half, zone] = pattern.exec(text) ?? []
  if (hours === undefined || (minutes === undefined && half === undefined) || (half !== undefined && Number(hours) > 12)) return null
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (/^p/i.test(half) ? 12 : 0)
  if (hour > 23 || Number(minutes ?? 0) > 59) return null
  return nextAt({ hour, minute: Number(minutes ?? 0), month: month === undefined ? undefined : monthOf(month), day: day === undefined ? undefined : Number(day) }, at, zone)
}

const monthOf = (name: string): number | undefined => {
  const found = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'].indexOf(name.slice(0, 3).toLowerCase())
  return found < 0 ? undefined : found
}

interface Wall {
  readonly hour: number
  readonly minute: number
  readonly month: number | undefined
  readonly day: number | undefined
}

const nextAt = ({ hour, minute, month, day }: Wall, at: Instant, zone: string | undefined): Instant | null => {
  const now = milliseconds(at)
  const offset = offsetOf(now, zone)
  const there = new Date(now + offset)
  const dated = month !== undefined && day !== undefined
  const wall = (plus: number): number =>
    dated ? Date.UTC(there.getUTCFullYear() + plus, month, day, hour, minute) : Date.UTC(there.getUTCFullYear(), there.getUTCMonth(), there.getUTCDate() + plus, hour, minute)
  const found = [0, 1].map((plus) => wall(plus) - offsetOf(wall(plus) - offset, zone)).find((ms) => ms > now)
  return found === undefined ? null : valid(found)
}

/** Milliseconds by which clocks of the zone are ahead of UTC; an unknown zone is the machine's own. */
const offsetOf = (ms: number, zone: string | undefined): number => {
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }).formatToParts(ms)
    const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value)
    return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')) - Math.floor(ms / 1000) * 1000
  } catch {
    return zone === undefined ? 0 : offsetOf(ms, undefined)
  }
}
