import { maskSecrets } from '../domain/secrets.ts'
import { fields, text } from './json-line.ts'

const LONGEST = 200

/** What a call is about, in one line: the command of a shell, the path of an edit, a question, else its arguments. */
export const about = (input: unknown): string => {
  const of = fields(input)
  const said = ['command', 'cmd', 'file_path', 'filePath', 'path', 'absolute_path', 'pattern', 'url', 'query', 'question']
    .map((key) => text(of[key]))
    .find((value) => value.trim() !== '')
  return oneLine(said ?? (Object.keys(of).length === 0 ? '' : JSON.stringify(of)))
}

/** A text in one line, cut where it is long. */
export const oneLine = (value: string, longest = LONGEST): string => {
  // Cut first: a text may be megabytes long.
  const line = maskSecrets(value.slice(0, longest * 4))
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > longest || value.length > longest * 4 ? `${line.slice(0, longest - 1)}…` : line
}
