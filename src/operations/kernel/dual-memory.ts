import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Instant } from '../../domain/time.ts'

// What conversations and executions have in common (seed 003). How long a text may be is said where it comes in.

/** Whose memory it is; from the environment of the connection, never an argument of a client. Any text. */
export const userId = z.string().min(1)
/** As it is stored: SQLite's UTF-8 has no halves of surrogate pairs. */
export const saidText = z.string().transform((given) => given.toWellFormed())
export const messageId = saidText.pipe(z.string().min(1))
export const metaData = z.custom<Readonly<Record<string, unknown>>>((given) => typeof given === 'object' && given !== null && !Array.isArray(given))
export const errors = z.array(z.looseObject({ error_type: z.string(), error_message: z.string() }))
export const limit = z.int().min(1).max(50)

/** `stored` is false where the same was stored before. */
export const stored = z.object({ stored: z.boolean(), at: z.string() })

/** Of two texts of JSON: whether they say the same, in whatever order; null says as much as an empty object. */
export const saysTheSame = (one: string | null, other: string | null): boolean => isDeepStrictEqual(JSON.parse(one ?? '{}'), JSON.parse(other ?? '{}'))

/** Whoever leaves the time out does not say that it was another. */
export const isTimeOf = (row: { readonly at: Instant }, given: Instant | undefined): boolean => given === undefined || given === row.at

export const jsonOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))
