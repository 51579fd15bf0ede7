import { maskSecrets } from '../../domain/words/secrets.ts'
import { fields, text } from '../kind/json-line.ts'

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
