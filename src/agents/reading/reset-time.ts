import { type Instant, later, milliseconds } from '../../domain/words/time.ts'
import { DAY, valid } from './next-time.ts'
import { atTheClock } from './clock-time.ts'

/**
 * The end of a limit, if the sentence contains it: `…|1755806400`, `try again in 20s`, `resets at 3pm (Europe/Berlin)`,
 * `resets Monday 9am`, `retry after 2026-11-21T08:00:00Z`. A relative time counts from `at`, and is unknown without it.
 */
export const resetTime = (sentence: string, at?: Instant): Instant | null => {
  const text = sentence.slice(0, 4000)
  const end = epoch(text) ?? date(text) ?? (at === undefined ? null : (inAWhile(text, at) ?? atTheClock(text, at)))
  const last = at === undefined ? undefined : later(at, LONGEST)
  return end !== null && last !== undefined && end > last ? last : end
}

/** No limit lasts longer: a longer one is an error, and would block that kind of agent (ms). */
const LONGEST = 62 * DAY

/** Seconds or milliseconds since 1970 after a bar. */
const epoch = (text: string): Instant | null => {
  const digits = /\|\s*(\d{10}|\d{13})\b/.exec(text)?.[1]
  return digits === undefined ? null : valid(Number(digits) * (digits.length === 10 ? 1000 : 1))
}

const date = (text: string): Instant | null => {
  const [, day, time, zone] =
    /\b(?:resets?|retry|again|until|available)\b[^\n]{0,40}?(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:\s?(Z|UTC|GMT|[+-]\d\d:\d\d)\b)?/i.exec(
      text,
    ) ?? []
  // Without a zone it is the machine's own, as for a time without a date.
  const ms = day === undefined ? NaN : Date.parse(`${day}T${time}${zone?.replace(/utc|gmt/i, 'Z').toUpperCase() ?? ''}`)
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
    return valid(milliseconds(later(at, Math.min(ms, LONGEST))))
  }
  const seconds = /\bretry-after:?\s*(\d{1,7})\b/i.exec(text)?.[1]
  return seconds === undefined ? null : later(at, Number(seconds) * 1000)
}

/** `1h2m3s` with its parts separated. */
const glued = (text: string): string => text.replace(/(\d(?:ms|[smhd]))(?=\d)/gi, '$1 ')
