import type { z } from 'zod'
import { withExactNumbers } from '../exact-json.ts'
import { FormatError } from '../format-error.ts'

/** Deeper values are never written by aiswarm, and would overflow the stack when they are written again. */
const DEEPEST = 64

export type JsonObject = Record<string, unknown>

/**
 * Parses a text as an object. Refuses anything else with file and line; `firstLine` is the line of the text in its
 * file.
 */
export const parseJsonObject = (text: string, file: string, firstLine = 1): JsonObject => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new FormatError(
      file,
      firstLine + lineOf(text, error as Error) - 1,
      `it is not valid JSON (${(error as Error).message.slice(0, 120)}).`,
    )
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new FormatError(file, firstLine, 'a JSON object was expected.')
  if (isDeep(value)) throw new FormatError(file, firstLine, `its values are nested deeper than ${DEEPEST}.`)
  return withExactNumbers(value, text) as JsonObject
}

/** Checks the shape of a parsed object and returns it unchanged, with all its keys. */
export const checkShape = <T extends z.ZodType>(
  schema: T,
  value: JsonObject,
  text: string,
  file: string,
  firstLine = 1,
): void => {
  const issue = schema.safeParse(value).error?.issues[0]
  if (!issue) return
  const key = issue.path.findLast((part) => typeof part === 'string')
  const before = key === undefined ? -1 : text.indexOf(JSON.stringify(key))
  throw new FormatError(
    file,
    before === -1 ? firstLine : firstLine + text.slice(0, before).split('\n').length - 1,
    `${issue.path.join('.') || 'the value'}: ${issue.message}.`,
  )
}

/** The line in V8's message, or that of the position in it; the last line if the text is incomplete. */
const lineOf = (text: string, { message }: Error): number => {
  const line = /\(line (\d+) column/.exec(message)?.[1]
  if (line !== undefined) return Number(line)
  const position = /at position (\d+)/.exec(message)?.[1]
  return text.slice(0, position === undefined ? text.trimEnd().length : Number(position)).split('\n').length
}

/** Level by level, without recursion. */
const isDeep = (value: object): boolean => {
  let level: readonly unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return true
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? (Object.values(one) as unknown[]) : []))
  }
  return false
}
