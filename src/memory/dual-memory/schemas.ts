import { z } from 'zod'
import { Refusal } from '../../domain/rules/refusal.ts'
import { instant, type Instant } from '../../domain/words/time.ts'

// The schemas of seed 003's four tools: their input is parsed with them, and clients read them as JSON Schema.

/** A text with a length in this range (characters). */
const text = (minimum: number, maximum: number, description: string) =>
  z
    .string()
    .refine((given) => between(characters(given, maximum), minimum, maximum), {
      error: `a text of ${minimum === 0 ? 'at most' : `${minimum} to`} ${maximum} characters was expected`,
    })
    .meta({ ...(minimum === 0 ? {} : { minLength: minimum }), maxLength: maximum, description })

const between = (n: number, minimum: number, maximum: number): boolean => n >= minimum && n <= maximum

/** The number of characters as JSON Schema counts them; above `enough`, any larger number. */
const characters = (given: string, enough: number): number =>
  given.length > 2 * enough ? given.length : [...given].length

const messageId = text(1, 100, 'Links a conversation with its execution')
const explanation = z.string().meta({ description: 'Why you call this, in one sentence' })

/** RFC 3339, any offset. */
const timestamp = (description?: string) =>
  z
    .string()
    .refine((given) => instantOf(given) !== undefined, {
      error: 'a timestamp such as 2024-12-15T14:30:00Z was expected',
    })
    .meta({ format: 'date-time', ...(description === undefined ? {} : { description }) })

/** The instant of a timestamp; undefined if it is invalid, such as 30 February. */
export const instantOf = (given: string): Instant | undefined => {
  const [, day] = shape.exec(given) ?? []
  if (day === undefined) return undefined
  // JavaScript parses 30 February as 2 March.
  const midnight = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight) || !instant(midnight).startsWith(day)) return undefined
  const milliseconds = Date.parse(given.toUpperCase())
  if (Number.isNaN(milliseconds)) return undefined
  const written = instant(milliseconds)
  // An offset may lead to a year without four digits, which does not compare as text.
  return written.length === '2024-12-15T14:30:00.000Z'.length ? written : undefined
}

/** RFC 3339: the date, the time with its seconds, an offset. */
const shape = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i

/** Any JSON object, kept unchanged. */
const anyObject = (description?: string) =>
  z
    .custom<Readonly<Record<string, unknown>>>(
      (given) => typeof given === 'object' && given !== null && !Array.isArray(given),
      { error: 'a JSON object was expected' },
    )
    .meta({ type: 'object', additionalProperties: true, ...(description === undefined ? {} : { description }) })

const addConversationInput = z.strictObject({
  message_id: messageId,
  explanation,
  user_input: text(1, 10_000, 'What the user said'),
  agent_response: text(1, 10_000, 'What the agent answered'),
  timestamp: timestamp('When it was said; default: now').optional(),
  meta_data: anyObject('Additional data').optional(),
})

/** The answer of every tool, successful or not. */
const answer = <T extends z.ZodType>(data: T) => z.strictObject({ success: z.boolean(), message: z.string(), data })

const status = z.enum(['success', 'error'])

const addConversationOutput = answer(
  z.object({
    status,
    message_id: z.string(),
    timestamp: timestamp(),
    details: z.object({ has_meta_data: z.boolean().optional(), memory_processing: z.string().optional() }).optional(),
  }),
)

const tools = z.array(z.string())

const addExecutionInput = z.strictObject({
  message_id: messageId,
  explanation,
  execution_summary: text(1, 2000, 'What was done'),
  tools_used: tools.meta({ description: 'Names of the tools, in the order of their calls' }),
  errors: z
    .array(z.looseObject({ error_type: z.string(), error_message: z.string(), tool: z.string().optional() }))
    .meta({ description: 'What went wrong' }),
  observations: text(0, 5000, 'What was thought and learned'),
  success: z.boolean().meta({ description: 'Whether the goal was reached' }),
  duration_ms: z.int('a whole number was expected').min(0).optional(),
  timestamp: timestamp('When it was done; default: now').optional(),
  meta_data: anyObject('Additional data').optional(),
})

/** The errors of an execution in an answer. */
const told = z.array(
  z.object({ error_type: z.string().optional(), error_message: z.string().optional(), tool: z.string().optional() }),
)

const addExecutionOutput = answer(
  z.object({
    status,
    message_id: z.string(),
    timestamp: timestamp(),
    details: z
      .object({
        execution_summary: z.string().optional(),
        tools_used: tools.optional(),
        errors: told.optional(),
        duration_ms: z.int().optional(),
        success: z.boolean().optional(),
        has_meta_data: z.boolean().optional(),
        memory_processing: z.string().optional(),
      })
      .optional(),
  }),
)

const timeRange = { start: timestamp('Start, inclusive').optional(), end: timestamp('End, exclusive').optional() }

const query = text(1, 4000, 'Words that must all occur; ignores case and operators')
const maxResults = z.int('a whole number was expected').min(1).max(50).default(10)

const retrieveConversationInput = z.strictObject({
  message_id: messageId.optional(),
  time_range: z.looseObject(timeRange).optional(),
  explanation,
  query,
  max_results: maxResults,
})

const retrieveConversationOutput = answer(
  z.object({
    status,
    query: z.string(),
    explanation: z.string(),
    query_type: z.enum(['general', 'specific_message', 'time_filtered']),
    requested_message_id: z.string().optional(),
    retrieval_timestamp: timestamp(),
    time_range: z.object({ start: timestamp().optional(), end: timestamp().optional() }).optional(),
    conversations: z.array(
      z.object({
        message_id: z.string(),
        conversation_timestamp: timestamp(),
        user_input: z.string(),
        agent_response: z.string(),
        meta_data: anyObject(),
        has_execution_memory: z.boolean(),
        relevance_score: z.number().min(0).max(1).optional(),
      }),
    ),
    total_found: z.int(),
    returned_count: z.int(),
    max_results_applied: z.boolean(),
  }),
)

const retrieveExecutionInput = z.strictObject({
  message_id: messageId.optional(),
  explanation,
  query,
  max_results: maxResults,
})

const retrieveExecutionOutput = answer(
  z.object({
    status,
    query: z.string(),
    explanation: z.string(),
    query_type: z.enum(['general', 'specific_message', 'pattern_search']),
    requested_message_id: z.string().optional(),
    retrieval_timestamp: timestamp(),
    executions: z.array(
      z.object({
        message_id: z.string(),
        execution_timestamp: timestamp(),
        execution_details: z.object({
          execution_summary: z.string(),
          tools_used: tools,
          errors: told,
          observations: z.string(),
        }),
        success: z.boolean(),
        duration_ms: z.int(),
        relevance_score: z.number().min(0).max(1).optional(),
      }),
    ),
    total_found: z.int(),
    returned_count: z.int(),
    max_results_applied: z.boolean(),
  }),
)

/** The input and output schemas of seed 003's tools. */
export const schemas = {
  add_conversation: { input: addConversationInput, output: addConversationOutput },
  add_execution: { input: addExecutionInput, output: addExecutionOutput },
  retrieve_conversation: { input: retrieveConversationInput, output: retrieveConversationOutput },
  retrieve_execution: { input: retrieveExecutionInput, output: retrieveExecutionOutput },
} as const

export type DualMemoryTool = keyof typeof schemas

export type AddConversationOutput = z.output<typeof addConversationOutput>
export type RetrieveConversationOutput = z.output<typeof retrieveConversationOutput>

export type AddExecutionOutput = z.output<typeof addExecutionOutput>
export type RetrieveExecutionOutput = z.output<typeof retrieveExecutionOutput>

/** The JSON Schema (draft 7) of a tool's input or output, as in the seed. */
export const jsonSchema = (tool: DualMemoryTool, way: 'input' | 'output'): Readonly<Record<string, unknown>> =>
  z.toJSONSchema(schemas[tool][way], {
    target: 'draft-7',
    // Both sides are described as input: a default is not required, and an object is open unless stated otherwise.
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (isEmpty(jsonSchema.additionalProperties)) delete jsonSchema.additionalProperties
    },
  })

/** The files under `schemas/`, by name. */
export const publishedSchemas = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (Object.keys(schemas) as DualMemoryTool[]).flatMap((tool) =>
      (['input', 'output'] as const).map((way) => {
        const { $schema, ...rest } = jsonSchema(tool, way)
        return [`${tool}_${way}.json`, `${JSON.stringify({ $schema, title: `${tool} ${way}`, ...rest }, null, 2)}\n`]
      }),
    ),
  )

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

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
