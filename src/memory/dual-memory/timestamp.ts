import { instant, type Instant } from '../../domain/words/time.ts'

/** RFC 3339: the date, the time with its seconds, an offset. */
const shape = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i

/** The instant of a timestamp; undefined if it is invalid, such as 30 February. */
export const instantOf = (given: string): Instant | undefined => {
  const [, day] = shape.exec(given) ?? []
  if (day === undefined) return undefined
  // JavaScript parses 30 February as 2 March.
  const midnight = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight) || !instant(midnight).startsWith(day)) return undefined
  const milliseconds = Date.parse(given.toUpperCase())
  if (Number.isNaN(milliseconds)) return undefined
  const written = instant(milliseconds)
  // An offset may lead to a year without four digits, which does not compare as text.
  return written.length === '2024-12-15T14:30:00.000Z'.length ? written : undefined
}
