import type { z } from 'zod'
import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js'
import type { Instant } from '../domain/time.ts'
import { jsonSchemaOf, type ObjectSchema } from '../operations/kernel/json-schema.ts'
import type { Operation } from '../operations/kernel/operation.ts'
import type { Connection } from '../operations/kernel/outside.ts'
import { act, type PerformOptions } from '../operations/kernel/perform.ts'

/** What one call of a tool has in hand. */
export interface ToolCall {
  readonly connection: Connection
  readonly input: Readonly<Record<string, unknown>>
  readonly options: PerformOptions
  /** Aborted when the client cancels the call or goes away. */
  readonly signal: AbortSignal
}

/** A row of the tool table: everything that clients are told of it is made from its operation. */
export interface ToolRow {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: ToolAnnotations
  readonly inputSchema: () => ObjectSchema
  /** Undefined for a tool that answers with text alone. */
  readonly outputSchema: (() => ObjectSchema) | undefined
  /** Gives an object: a list stands under its key. */
  readonly call: (call: ToolCall) => Promise<Readonly<Record<string, unknown>>>
  /** Of a tool whose contract is not ours: it takes its arguments whole, and what it answers is passed on as it is. */
  readonly ownWords?: {
    readonly isError: (output: Readonly<Record<string, unknown>>) => boolean
    /** How it says no, also for what it never heard of. */
    readonly refused: (sentence: string, given: Readonly<Record<string, unknown>>, now: Instant) => Readonly<Record<string, unknown>>
  }
}

interface Row<I extends z.ZodType, O extends z.ZodType> {
  readonly operation: Operation<I, O>
  readonly title: string
  /** What follows the operation's summary, which begins with the words that matter: clients show only the first. */
  readonly more?: string
  /** The key under which a list stands. */
  readonly list?: string
  /** Waits on, or makes what the client is told from what the operation answers. */
  readonly then?: (output: z.output<O>, call: ToolCall) => Promise<Readonly<Record<string, unknown>>>
  /** What the client is told, where `then` makes something else of the answer; 'text' for a client that takes one text block and nothing beside it. */
  readonly answers?: z.ZodType | 'text'
  /** The names under which a client's own protocol passes the arguments. */
  readonly named?: { readonly schema: ObjectSchema; readonly input: (given: Readonly<Record<string, unknown>>) => { readonly input: unknown; readonly requestId?: string } }
}

/** Clients give up on a call after a minute; what takes longer outside goes on, and the rows tell how it went. */
const PATIENCE = 40_000

export const tool = <I extends z.ZodType, O extends z.ZodType>(row: Row<I, O>): ToolRow => {
  const { operation, title, more, list, then, answers, named } = row
  const reads = operation.access === 'read'
  return {
    name: operation.name,
    title,
    description: more === undefined ? `${operation.summary}.` : `${operation.summary}. ${more}`,
    // Codex refuses in its sandbox whatever might be destructive or reach the open world; nothing here is lost for good.
    annotations: reads ? { title, readOnlyHint: true, openWorldHint: false } : { title, readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    inputSchema: () => named?.schema ?? inputOf(operation),
    outputSchema: answers === 'text' ? undefined : () => outputOf(answers ?? operation.output, list),
    call: async (call) => {
      const given = named?.input(call.input) ?? { input: call.input }
      const options = { patience: PATIENCE, ...call.options, ...(given.requestId === undefined ? {} : { requestId: given.requestId }) }
      const output = await act(call.connection, operation, given.input as z.input<I>, options)
      if (then) return then(output, call)
      return (list === undefined ? output : { [list]: output }) as Readonly<Record<string, unknown>>
    },
  }
}

/**
 * Writes can be named, so that a call whose answer was lost can be repeated. The attempt is taken from a client that names it,
 * but the connection names it by itself, and a description would cost every model tokens. What only a person may say is left out too.
 */
const inputOf = ({ input, access }: Operation): ObjectSchema => {
  const whole = jsonSchemaOf(input, 'input') as ObjectSchema
  const properties = Object.fromEntries(Object.entries(whole.properties ?? {}).filter(([name]) => !undescribed.has(name)))
  const schema = { ...whole, properties }
  if (access !== 'write') return schema
  return { ...schema, properties: { ...schema.properties, requestId: { type: 'string', description: 'Any id of your own; a call repeated with it is done once' } } }
}

/** Named by connections themselves, or by a person alone. */
const undescribed: ReadonlySet<string> = new Set(['attempt', 'beside', 'gone'])

const outputOf = (output: z.ZodType, list: string | undefined): ObjectSchema => {
  const { $defs, ...schema } = jsonSchemaOf(output, 'output') as ObjectSchema
  const definitions = $defs === undefined ? {} : { $defs }
  if (list === undefined) return { ...schema, ...definitions }
  return { type: 'object', properties: { [list]: schema }, required: [list], ...definitions }
}
