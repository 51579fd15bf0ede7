/** An instant as `YYYY-MM-DDTHH:MM:SS.sssZ` (RFC 3339, UTC, milliseconds): such texts sort like the instants. */
export type Instant = string

/**
 * A moment of the monotonic clock: milliseconds since the named boot. No program can set it, so it measures every wait,
 * lease and grace period; ticks of different boots cannot be compared.
 */
export interface Tick {
  readonly boot: string
  readonly ms: number
}

export const instant = (milliseconds: number): Instant => new Date(milliseconds).toISOString()

export const milliseconds = (at: Instant): number => Date.parse(at)

/** `at` moved by `ms` milliseconds. */
export const later = (at: Instant, ms: number): Instant => instant(milliseconds(at) + ms)

/** Milliseconds from `from` to `to`; negative if `to` is earlier. */
export const elapsed = (from: Instant, to: Instant): number => milliseconds(to) - milliseconds(from)

const two = (n: number): string => String(Math.floor(n)).padStart(2, '0')

/** A short duration: `8s`, `4m10`, `2h05`, `3d4h`. */
export const duration = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m${two(seconds % 60)}`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return `${hours}h${two(minutes % 60)}`
  return `${Math.floor(hours / 24)}d${hours % 24}h`
}

/** Local clock time, `14:22:30`. */
export const clockTime = (at: Instant): string => {
  const date = new Date(at)
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** Local date and time with its distance from UTC, as git writes it: `2026-01-30 15:22:30 +0100`. */
export const zonedTime = (at: Instant): string => {
  const date = new Date(at)
  const east = -date.getTimezoneOffset()
  const zone = `${east < 0 ? '-' : '+'}${two(Math.abs(east) / 60)}${two(Math.abs(east) % 60)}`
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clockTime(at)} ${zone}`
}

/** Local time to the minute, `03:39`; with its date if it is not within a day from `now`: `27 Jan 03:39`. */
export const clockMinute = (at: Instant, now: Instant): string => {
  const date = new Date(at)
  const clock = clockTime(at).slice(0, 5)
  return Math.abs(elapsed(now, at)) < 86_400_000 ? clock : `${date.getDate()} ${months[date.getMonth()]} ${clock}`
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const

/** Seed 000: `session-YYYYMMDD-HHMMSS` in local time. */
export const sessionId = (at: Instant): string => {
  const d = new Date(at)
  const date = `${d.getFullYear()}${two(d.getMonth() + 1)}${two(d.getDate())}`
  return `session-${date}-${two(d.getHours())}${two(d.getMinutes())}${two(d.getSeconds())}`
}

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Milliseconds of a configured duration such as `30s`, `500ms`, `10m`; undefined if it is invalid. */
export const parseDuration = (text: string): number | undefined => {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/.exec(text.trim())
  if (!match) return undefined
  return Math.round(Number(match[1]) * units[match[2] as keyof typeof units])
}

/** A duration that changes at most once a minute, so that its row is not drawn again every second. */
export const coarse = (ms: number, duration: (ms: number) => string): string =>
  ms < 60_000 ? '<1m' : duration(ms).replace(/(?<=m)\d\d$/, '')
