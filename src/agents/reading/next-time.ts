import { instant, type Instant, milliseconds } from '../../domain/words/time.ts'

export const valid = (ms: number): Instant | null => (ms > 0 && ms < 253_402_300_800_000 ? instant(ms) : null)

const MINUTE = 60_000

export const DAY = 86_400_000

/** A time of day that has passed by no more than this still counts: sentences round, and clocks differ (ms). */
const JUST_OVER = 10 * MINUTE

/** A date without a year is the nearest one: last week's is past, not a year ahead (ms). */
const HALF_A_YEAR = 183 * DAY

type Wall = { readonly hour: number; readonly minute: number } & (
  { readonly month: number; readonly day: number } | { readonly weekday: number } | { readonly from: number }
)

export const nextAt = (wall: Wall, at: Instant, zone: string | undefined): Instant | null => {
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
