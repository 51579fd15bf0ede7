import { maskSecrets } from '../../domain/words/secrets.ts'

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

const LONGEST_ABOUT = 200

/**
 * The subject of a call in one line: the command of a shell, the path of an edit, a question, otherwise its arguments.
 */
export const about = (input: unknown): string => {
  const of = fields(input)
  const said = [
    'command',
    'cmd',
    'file_path',
    'filePath',
    'path',
    'absolute_path',
    'pattern',
    'url',
    'query',
    'question',
  ]
    .map((key) => text(of[key]))
    .find((value) => value.trim() !== '')
  return oneLine(said ?? (Object.keys(of).length === 0 ? '' : JSON.stringify(of)))
}

/** A text in one line, truncated. */
export const oneLine = (value: string, longest = LONGEST_ABOUT): string => {
  // Truncated first, because a text may have megabytes.
  const line = maskSecrets(value.slice(0, longest * 4))
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > longest || value.length > longest * 4 ? `${line.slice(0, longest - 1)}…` : line
}
