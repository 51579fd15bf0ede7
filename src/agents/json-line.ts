/** A value that came out of somebody else's JSON: nothing about it is known. */
export type Fields = Readonly<Record<string, unknown>>

/** Longest line that is looked into: a tool's result may carry a whole file, and none that tells us something comes near. */
const LONGEST = 4_000_000

/** The object of a line; undefined for anything else. Never throws. */
export const objectOf = (line: string): Fields | undefined => {
  const text = line.trim()
  if (!text.startsWith('{') || text.length > LONGEST) return undefined
  try {
    return fields(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** What is said of something that may be missing or of another type altogether. */
export const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {})

export const list = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fields) : [])

export const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A count or an amount; 0 where there is none. */
export const number = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)
