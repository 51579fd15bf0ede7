import { z } from 'zod'
import { once } from '../../domain/words/once.ts'

// Schemas that operations share, and the JSON of columns.

/** The attempt of a call, as claim_task returned it; the current one by default. */
export const heldAttempt = z.int().min(1).optional().describe('As claim_task returned')
export const taskId = z.int().min(1).describe('Number of the task')
export const agentId = z.string().min(1).max(50).describe('Id of the agent')
export const worktreeName = z.string().min(1).max(400).describe('Name of the worktree')
export const personaId = z
  .string()
  .min(1)
  .max(50)
  .describe('Persona: planner, implementer, reviewer, tester or one of your own')
export const text = (maximum: number) =>
  z.string().max(maximum, {
    error: ({ input }) =>
      `it has ${(input as string).length} characters, but at most ${maximum} are allowed; shorten it`,
  })
export const LABELS = 'a label has 1 to 50 letters, digits, ., - or _'
/** The names by which persons choose among hosts. */
export const hostLabels = once(() => z.array(z.string().regex(/^[\w.-]{1,50}$/, LABELS)).max(50))
/** Any JSON value. */
export const json = z.json()

/** The most bytes of JSON from an agent or a client, as many as a message over MCP may have. */
const MOST_JSON = 1024 * 1024

/** Refuses a value that is too large for a row that screens read; `instead` names the place for it. */
export const atMostOneMegabyte = <T extends z.ZodType>(schema: T, instead: string): T =>
  schema.refine((value) => bytesOf(value) <= MOST_JSON, {
    error: ({ input }) => `it is ${megabytes(bytesOf(input))} MB of JSON, but at most 1 MB is allowed; ${instead}`,
  })

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '')

/** Rounded up, so that a value slightly too large does not read as 1.0. */
const megabytes = (bytes: number): string => (Math.ceil((bytes * 10) / MOST_JSON) / 10).toFixed(1)

/** Parses the JSON of a column; null if there is none. */
export const parsed = (json: string | null): unknown => (json === null ? null : JSON.parse(json))

// Schemas of objects that are built when they are first used; the functions give the same one from then on.

/** Keys that are not in the shape are left out. */
export const lazyObject = <Shape extends z.ZodRawShape>(shape: () => Shape) => once(() => z.object(shape()))

/** Keys that are not in the shape are refused. */
export const lazyStrictObject = <Shape extends z.ZodRawShape>(shape: () => Shape) => once(() => z.strictObject(shape()))
