import type { KindErrors } from '../../domain/settings/agent-settings.ts'
import { instant, type Instant, later, milliseconds } from '../../domain/words/time.ts'
import { oneLine } from '../kind/json-line.ts'
import type { Reading } from './reading.ts'

// Errors in the output of a CLI: the account is over its limit (and when the limit ends) or not logged in, or the
// session is lost.

// A status stands alone or in JSON; `x.js:401:12` is a line of a file.
const unauthorized =
  /(?:^|[\s(]|":\s?)401(?![\d:])|unauthori[sz]ed|unauthenticated|authentication[ _](?:failed|error)|authentication fail|invalid (?:api|x-api)[- ]key|invalid_api_key|api key not valid|not logged in|please (?:run )?\/?log ?in|no authentication information|oauth token (?:has )?(?:expired|revoked)|must (?:specify|set) .*api_key/i

const limited =
  /(?:^|[\s(]|":\s?)(?:429|529)(?![\d:])|rate[ _-]?limit|too many requests|resource_exhausted|overloaded|quota|usage limit|(?:session|weekly|daily|spend|hit your|reached your|hourly|opus) limit|limit reached|insufficient[ _](?:quota|credit|balance)|credit balance is too low|at capacity|high demand|out of credits/i

/**
 * The problem of the account in an error of a CLI: over its limit, or not logged in. Only for sentences that are known
 * to be errors, because an agent may write about a rate limit in its code.
 */
export const accountProblem = (sentence: string, at?: Instant): readonly Reading[] => {
  // A JSON string inside a longer sentence counts too.
  const said = oneLine(sentence, 500)
  if (limited.test(said)) return [{ kind: 'limited', sentence: said, resetsAt: resetTime(sentence, at) }]
  if (unauthorized.test(said)) return [{ kind: 'unauthorized', sentence: said }]
  return []
}

/** The readings of an error: its known problem, otherwise a line for a person. */
export const errorReadings = (
  sentence: string,
  level: 'warn' | 'error',
  at?: Instant,
  known: readonly Reading[] = [],
): readonly Reading[] => {
  const said = [...known, ...lostSession(sentence), ...accountProblem(sentence, at)]
  return said.length > 0 ? said : [{ kind: 'note', level, text: oneLine(sentence, 500) }]
}

const sessionLost =
  /no conversation found|session (?:id )?\S*\s*(?:was )?not found|no (?:saved )?session (?:found|with|matches)|no rollout found|thread not found|invalid session|no sessions? found|could not find session|error resuming session|unknown session|no session, task, or name matched|no previous sessions/i

/** The session to be resumed does not exist. */
export const lostSession = (sentence: string): readonly Reading[] =>
  sessionLost.test(sentence) ? [{ kind: 'no_session', sentence: oneLine(sentence, 500) }] : []

/**
 * Reads a line that is not JSON, because the error stream goes to the same file. A line that mentions an error is read
 * as one; any other is for a person.
 */
export const plainLine = (line: string, at?: Instant): readonly Reading[] => {
  const said = oneLine(withoutColour(line.slice(0, 4000)), 500)
  if (said === '' || /^[[\]{}"]/.test(said)) return []
  const bad = /error|fail|denied|invalid|not found|not logged in|unauthori[sz]ed|limit|^No /i.test(said)
  return bad ? errorReadings(said, 'warn', at) : [{ kind: 'note', level: 'info', text: said }]
}

// oxlint-disable-next-line no-control-regex -- the sequences that colour a text begin with one
const withoutColour = (line: string): string => line.replace(/\u001b\[[0-9;]*m/g, '')

/** The last lines of an output, which tell why a program ended; earlier messages are outdated. */
const LAST_LINES = 20

/**
 * Reads the end of a plain-text output for problems of the account: over its limit, or not logged in. The configured
 * patterns are tried before the defaults. The latest matching line counts.
 */
export const endingOf =
  ({ limited, unauthorized }: KindErrors) =>
  (output: string, at: Instant): readonly Reading[] => {
    const patterns = { limited: limited.map(compiled), unauthorized: unauthorized.map(compiled) }
    const lines = output.split('\n').filter((line) => line.trim() !== '')
    for (const line of lines.slice(-LAST_LINES).reverse()) {
      const said = oneLine(line, 500)
      if (patterns.limited.some((pattern) => pattern.test(line)))
        return [{ kind: 'limited', sentence: said, resetsAt: resetTime(line, at) }]
      if (patterns.unauthorized.some((pattern) => pattern.test(line))) return [{ kind: 'unauthorized', sentence: said }]
      const known = accountProblem(line, at)
      if (known.length > 0) return known
    }
    return []
  }

const compiled = (pattern: string): RegExp => new RegExp(pattern, 'i')

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

const DAY = 86_400_000

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

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** Whole names, or their first three or four letters. */
const anyOf = (names: readonly string[]): string =>
  names.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)}|${name.slice(3, 4)})?`).join('|')

/** The zones in messages for American and European accounts; the letters mean other zones elsewhere. */
const zones: Readonly<Record<string, string>> = {
  UTC: 'UTC',
  GMT: 'UTC',
  Z: 'UTC',
  ...{
    ET: 'America/New_York',
    EST: 'America/New_York',
    EDT: 'America/New_York',
    CT: 'America/Chicago',
    CST: 'America/Chicago',
    CDT: 'America/Chicago',
  },
  ...{
    MST: 'America/Denver',
    MDT: 'America/Denver',
    PT: 'America/Los_Angeles',
    PST: 'America/Los_Angeles',
    PDT: 'America/Los_Angeles',
  },
  ...{ CET: 'Europe/Berlin', CEST: 'Europe/Berlin', BST: 'Europe/London' },
}

const clock = new RegExp(
  [
    String.raw`\b(?:resets?|available|again)\b(?:\s+(?:at|on|again))*\s+`,
    String.raw`(?:(?:(?<word>today|tomorrow)|(?<weekday>${anyOf(weekdays)})|(?<month>${anyOf(months)})\.?\s+(?<day>\d{1,2})(?!\d)(?:st|nd|rd|th)?(?:,?\s+\d{4})?)(?:,?\s+(?:at\s+)?|(?=\W|$)))?`,
    String.raw`(?:(?<hours>\d{1,2})(?!\d)(?::(?<minutes>\d\d)(?::\d\d)?)?\s*(?<half>[ap]\.?m\b)?\.?)?`,
    String.raw`(?:\s*\((?<zone>[\w/+-]+)\)|\s?(?<short>${Object.keys(zones).join('|')})\b)?`,
  ].join(''),
  'i',
)

/**
 * `resets 3pm`, `resets at 15:30 (Europe/Berlin)`, `resets Oct 6, 1pm`, `resets Monday at 9am PST`, `resets on December
 * 1`: the next such time after `at`, or one that has just passed, in the given zone. A day without a time begins at
 * midnight.
 */
const atTheClock = (text: string, at: Instant): Instant | null => {
  const { word, weekday, month, day, hours, minutes, half, zone, short } = clock.exec(text)?.groups ?? {}
  const told = hours !== undefined && (minutes !== undefined || half !== undefined)
  if ((!told && day === undefined) || (half !== undefined && Number(hours) > 12)) return null
  const hour = !told ? 0 : half === undefined ? Number(hours) : (Number(hours) % 12) + (/^p/i.test(half) ? 12 : 0)
  const minute = told ? Number(minutes ?? 0) : 0
  if (hour > 23 || minute > 59) return null
  const date = day === undefined ? undefined : { month: placeOf(months, month!), day: Number(day) }
  const days =
    weekday !== undefined
      ? { weekday: placeOf(weekdays, weekday) }
      : { from: word?.toLowerCase() === 'tomorrow' ? 1 : 0 }
  return nextAt(
    { hour, minute, ...(date ?? days) },
    at,
    zone ?? (short === undefined ? undefined : zones[short.toUpperCase()]),
  )
}

const placeOf = (names: readonly string[], name: string): number =>
  names.findIndex((one) => one.slice(0, 3).toLowerCase() === name.slice(0, 3).toLowerCase())

const valid = (ms: number): Instant | null => (ms > 0 && ms < 253_402_300_800_000 ? instant(ms) : null)

const MINUTE = 60_000

/** A time of day that has passed by no more than this still counts: sentences round, and clocks differ (ms). */
const JUST_OVER = 10 * MINUTE

/** A date without a year is the nearest one: last week's is past, not a year ahead (ms). */
const HALF_A_YEAR = 183 * DAY

type Wall = { readonly hour: number; readonly minute: number } & (
  { readonly month: number; readonly day: number } | { readonly weekday: number } | { readonly from: number }
)

const nextAt = (wall: Wall, at: Instant, zone: string | undefined): Instant | null => {
  const now = milliseconds(at)
  const there = new Date(now + offsetOf(now, zone))
  const found = datesOf(wall, there)
    .map((ms) => ms - offsetOf(ms - offsetOf(now, zone), zone))
    .find((ms) => ms > now - ('month' in wall ? HALF_A_YEAR : JUST_OVER))
  return found === undefined ? null : valid(found)
}

/** The possible days, soonest first, as if the local clock were UTC. */
const datesOf = (wall: Wall, there: Date): readonly number[] => {
  const [year, month, day] = [there.getUTCFullYear(), there.getUTCMonth(), there.getUTCDate()]
  if ('month' in wall)
    return [-1, 0, 1].map((plus) => Date.UTC(year + plus, wall.month, wall.day, wall.hour, wall.minute))
  const [first, step] = 'weekday' in wall ? [(wall.weekday - there.getUTCDay() + 7) % 7, 7] : [wall.from, 1]
  return [first, first + step].map((plus) => Date.UTC(year, month, day + plus, wall.hour, wall.minute))
}

/** The offset of the zone from UTC (ms); an unknown zone is the machine's own. */
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
    return (
      Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')) -
      Math.floor(ms / 1000) * 1000
    )
  } catch {
    return zone === undefined ? 0 : offsetOf(ms, undefined)
  }
}
