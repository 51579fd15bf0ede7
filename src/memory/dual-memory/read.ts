import type { z } from 'zod'
import { Refusal } from '../../domain/rules/refusal.ts'
import { type DualMemoryTool, schemas } from './json-schemas.ts'

/** Parses the input of a tool once. A refusal names the field and the expected value. */
export const read = <T extends DualMemoryTool>(tool: T, given: unknown): z.output<(typeof schemas)[T]['input']> => {
  const parsed = schemas[tool].input.safeParse(given)
  if (parsed.success) return parsed.data as never
  const issue = parsed.error.issues[0]!
  const where = issue.path.length > 0 ? ` at ${issue.path.join('.')}` : ''
  throw new Refusal('invalid_input', `${tool}${where}: ${issue.message.slice(0, 500)}.`)
}

/** A text in the input of a refused call, whatever the input is. */
export const textOf = (given: unknown, key: string, longest: number): string => {
  const value =
    typeof given === 'object' && given !== null ? (given as Readonly<Record<string, unknown>>)[key] : undefined
  return typeof value === 'string' ? value.slice(0, longest) : ''
}
