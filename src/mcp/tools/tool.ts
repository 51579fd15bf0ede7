import type { z } from 'zod'
import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js'
import type { Instant } from '../../domain/words/time.ts'
import { jsonSchemaOf, type ObjectSchema } from '../../operations/perform/json-schema.ts'
import type { Operation } from '../../operations/perform/operation.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { act, type PerformOptions } from '../../operations/perform/perform.ts'

/** The dependencies of one call of a tool. */
export interface ToolCall {
  readonly connection: Connection
  readonly input: Readonly<Record<string, unknown>>
  readonly options: PerformOptions
  /** Aborted when the client cancels the call or disconnects. */
  readonly signal: AbortSignal
}

/** A row of the tool table: its description for clients is derived from its operation. */
export interface ToolRow {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: ToolAnnotations
  readonly inputSchema: () => ObjectSchema
  /** Undefined for a tool that answers with text only. */
  readonly outputSchema: (() => ObjectSchema) | undefined
  /** Returns an object: a list is under its key. */
  readonly call: (call: ToolCall) => Promise<Readonly<Record<string, unknown>>>
  /** For a tool with a foreign contract: it receives its arguments unparsed, and its answer is passed on unchanged. */
  readonly ownWords?: {
    readonly isError: (output: Readonly<Record<string, unknown>>) => boolean
    /** The form of its refusals, also for unknown input. */
    readonly refused: (
      sentence: string,
      given: Readonly<Record<string, unknown>>,
      now: Instant,
    ) => Readonly<Record<string, unknown>>
  }
}

interface Row<I extends z.ZodType, O extends z.ZodType> {
  readonly operation: Operation<I, O>
  readonly title: string
  /** Text after the operation's summary, which begins with the important words because clients show only the first. */
  readonly more?: string
  /** The key of a list. */
  readonly list?: string
  /** Continues to wait, or converts the operation's answer for the client. */
  readonly then?: (output: z.output<O>, call: ToolCall) => Promise<Readonly<Record<string, unknown>>>
  /**
   * The schema of the converted answer, if `then` converts it; 'text' for a client that accepts one text block only.
   */
  readonly answers?: z.ZodType | 'text'
  /** The names of the arguments in a client's own protocol. */
  readonly named?: {
    readonly schema: ObjectSchema
    readonly input: (given: Readonly<Record<string, unknown>>) => {
      readonly input: unknown
      readonly requestId?: string
    }
  }
}

/** Clients cancel a call after a minute; longer outside work continues, and the rows have its result. */
const PATIENCE = 40_000

export const tool = <I extends z.ZodType, O extends z.ZodType>(row: Row<I, O>): ToolRow => {
  const { operation, title, more, list, then, answers, named } = row
  const reads = operation.access === 'read'
  return {
    name: operation.name,
    title,
    description: more === undefined ? `${operation.summary}.` : `${operation.summary}. ${more}`,
    // Codex's sandbox refuses tools that may be destructive or reach the open world; nothing here is lost permanently.
    annotations: reads
      ? { title, readOnlyHint: true, openWorldHint: false }
      : { title, readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    inputSchema: () => named?.schema ?? inputOf(operation),
    outputSchema: answers === 'text' ? undefined : () => outputOf(answers ?? operation.output, list),
    call: async (call) => {
      const given = named?.input(call.input) ?? { input: call.input }
      const options = {
        patience: PATIENCE,
        ...call.options,
        ...(given.requestId === undefined ? {} : { requestId: given.requestId }),
      }
      const output = await act(call.connection, operation, given.input as z.input<I>, options)
      if (then) return then(output, call)
      return (list === undefined ? output : { [list]: output }) as Readonly<Record<string, unknown>>
    },
  }
}

/**
 * Writes accept a request id, so that a call whose answer was lost can be repeated. The attempt is accepted from a
 * client, but connections add it themselves, and a description would cost every model tokens. Arguments for persons
 * only are left out too.
 */
const inputOf = ({ input, access }: Operation): ObjectSchema => {
  const whole = jsonSchemaOf(input, 'input') as ObjectSchema
  const properties = Object.fromEntries(
    Object.entries(whole.properties ?? {}).filter(([name]) => !undescribed.has(name)),
  )
  const schema = { ...whole, properties }
  if (access !== 'write') return schema
  return {
    ...schema,
    properties: {
      ...schema.properties,
      requestId: { type: 'string', description: 'Any id of your own; a repeated call with it runs once' },
    },
  }
}

/** Set by connections themselves, or by a person only. */
const undescribed: ReadonlySet<string> = new Set(['attempt', 'beside', 'gone'])

/** The key of the messages to the calling agent in an answer: some clients read the structured content only. */
export const MESSAGES = 'messagesToYou'

const messages: ObjectSchema['properties'] = { [MESSAGES]: { type: 'array', items: { type: 'string' } } }

const outputOf = (output: z.ZodType, list: string | undefined): ObjectSchema => {
  const { $defs, ...schema } = jsonSchemaOf(output, 'output') as ObjectSchema
  const definitions = $defs === undefined ? {} : { $defs }
  if (list === undefined) return { ...schema, properties: { ...schema.properties, ...messages }, ...definitions }
  return { type: 'object', properties: { [list]: schema, ...messages }, required: [list], ...definitions }
}
