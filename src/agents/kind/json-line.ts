/** A value from another program's JSON, of unknown shape. */
export type Fields = Readonly<Record<string, unknown>>

/** The longest line that is parsed: a tool's result may contain a whole file, and no useful line is as long. */
const LONGEST = 4_000_000

/** Parses the object in a line; undefined for anything else. Never throws. */
export const objectOf = (line: string): Fields | undefined => {
  const text = line.trim()
  if (!text.startsWith('{') || text.length > LONGEST) return undefined
  try {
    return fields(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** The fields of a value that may be missing or of another type. */
export const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

export const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fields) : [])

export const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A count or an amount; 0 if there is none. */
export const number = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)
