import type { z } from 'zod'
import type { Actor } from '../../domain/agent/actor.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Operation } from './operation.ts'

/**
 * The input of an operation in its parsed form. Refuses what the schema refuses, and a text with a NUL character, which
 * not every database can store. The loops record what programs print and files contain, and cannot ask for another
 * text: theirs is kept with the replacement character instead.
 */
export const parse = <I extends z.ZodType>(
  operation: Operation<I, z.ZodType>,
  input: z.input<I>,
  actor: Actor,
): z.output<I> =>
  safely(operation, () => {
    const result = operation.input.safeParse(input)
    if (!result.success) {
      const { path, message } = result.error.issues[0]!
      throw invalid(operation, path, message)
    }
    if (actor.kind === 'system') return withoutNul(result.data)
    refuseNul(operation, result.data)
    return result.data
  })

/** Refuses a text with a NUL character anywhere in a value; its path follows `path` in the refusal. */
export const refuseNul = (operation: { readonly name: string }, value: unknown, path: readonly string[] = []): void => {
  const place = placeOfNul(value)
  if (place)
    throw invalid(operation, [...path, ...place], 'it has a NUL character, which a text cannot have; remove it')
}

const invalid = (operation: { readonly name: string }, path: readonly PropertyKey[], message: string): Refusal => {
  const where = path.length > 0 ? ` at ${path.map(String).join('.').replaceAll(NUL, INSTEAD)}` : ''
  return new Refusal('invalid_input', `${operation.name}${where}: ${message}.`)
}

/** A value of ten thousand levels needs more stack than available. */
const safely = <T>(operation: { readonly name: string }, work: () => T): T => {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new Refusal(
      'invalid_input',
      `${operation.name}: the input is nested too deeply. Use fewer levels, or write it to a file.`,
      { cause: error },
    )
  }
}

const NUL = '\0'
/** U+FFFD, which stands for what could not be read. */
const INSTEAD = '\ufffd'

/** The path to the first text with a NUL character, an object's keys included; undefined if there is none. */
const placeOfNul = (value: unknown): readonly string[] | undefined => {
  if (typeof value === 'string') return value.includes(NUL) ? [] : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, part] of Object.entries(value)) {
    const place = key.includes(NUL) ? [] : placeOfNul(part)
    if (place) return [key, ...place]
  }
  return undefined
}

const withoutNul = <T>(value: T): T => (placeOfNul(value) === undefined ? value : (replaced(value) as T))

const replaced = (value: unknown): unknown => {
  if (typeof value === 'string') return value.replaceAll(NUL, INSTEAD)
  if (Array.isArray(value)) return value.map(replaced)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [replaced(key), replaced(part)]))
}
