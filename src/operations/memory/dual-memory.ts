import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Instant } from '../../domain/words/time.ts'

// Fields that conversations and executions share (seed 003). The limits of texts are at the inputs.

/** The user of the memory; from the environment of the connection, never an argument of a client. Any text. */
export const userId = z.string().min(1)
/** Replaces lone surrogates, which SQLite's UTF-8 cannot store. */
export const saidText = z.string().transform((given) => given.toWellFormed())
export const messageId = saidText.pipe(z.string().min(1))
export const metaData = z.custom<Readonly<Record<string, unknown>>>((given) => typeof given === 'object' && given !== null && !Array.isArray(given))
export const errors = z.array(z.looseObject({ error_type: z.string(), error_message: z.string() }))
export const limit = z.int().min(1).max(50)

/** `stored` is false if the same was stored before. */
export const stored = z.object({ stored: z.boolean(), at: z.string() })

/** True if two JSON texts have the same value, in any order of keys; null equals an empty object. */
export const saysTheSame = (one: string | null, other: string | null): boolean => isDeepStrictEqual(JSON.parse(one ?? '{}'), JSON.parse(other ?? '{}'))

/** A missing time equals any time. */
export const isTimeOf = (row: { readonly at: Instant }, given: Instant | undefined): boolean => given === undefined || given === row.at

export const jsonOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))
