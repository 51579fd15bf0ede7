import { z } from 'zod'
import { instantOf } from './timestamp.ts'

// Parts of seed 003's schemas. Keywords of JSON Schema are in `meta`, because zod counts lengths in units of UTF-16 and
// adds patterns to its own formats.

/** A text with a length in this range (characters). */
export const text = (minimum: number, maximum: number, description: string) =>
  z
    .string()
    .refine((given) => between(characters(given, maximum), minimum, maximum), {
      error: `a text of ${minimum === 0 ? 'at most' : `${minimum} to`} ${maximum} characters was expected`,
    })
    .meta({ ...(minimum === 0 ? {} : { minLength: minimum }), maxLength: maximum, description })

/** RFC 3339, any offset. */
export const timestamp = (description?: string) =>
  z
    .string()
    .refine((given) => instantOf(given) !== undefined, {
      error: 'a timestamp such as 2024-12-15T14:30:00Z was expected',
    })
    .meta({ format: 'date-time', ...(description === undefined ? {} : { description }) })

/** Any JSON object, kept unchanged. */
export const anyObject = (description?: string) =>
  z
    .custom<Readonly<Record<string, unknown>>>(
      (given) => typeof given === 'object' && given !== null && !Array.isArray(given),
      { error: 'a JSON object was expected' },
    )
    .meta({ type: 'object', additionalProperties: true, ...(description === undefined ? {} : { description }) })

export const messageId = text(1, 100, 'Links a conversation with its execution')
export const explanation = z.string().meta({ description: 'Why you call this, in one sentence' })
export const query = text(1, 4000, 'Words that must all occur; ignores case and operators')
export const maxResults = z.int('a whole number was expected').min(1).max(50).default(10)

export const status = z.enum(['success', 'error'])

/** The answer of every tool, successful or not. */
export const answer = <T extends z.ZodType>(data: T) =>
  z.strictObject({ success: z.boolean(), message: z.string(), data })

/** The number of characters as JSON Schema counts them; above `enough`, any larger number. */
const characters = (given: string, enough: number): number =>
  given.length > 2 * enough ? given.length : [...given].length

const between = (n: number, minimum: number, maximum: number): boolean => n >= minimum && n <= maximum
