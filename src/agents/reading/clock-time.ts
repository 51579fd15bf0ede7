import type { Instant } from '../../domain/words/time.ts'
import { nextAt } from './next-time.ts'

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
export const atTheClock = (text: string, at: Instant): Instant | null => {
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
