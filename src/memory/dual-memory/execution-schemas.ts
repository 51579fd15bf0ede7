import { z } from 'zod'
import {
  answer,
  anyObject,
  explanation,
  maxResults,
  messageId,
  query,
  status,
  text,
  timestamp,
} from './schema-parts.ts'

const tools = z.array(z.string())

export const addExecutionInput = z.strictObject({
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

export const addExecutionOutput = answer(
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

export const retrieveExecutionInput = z.strictObject({
  message_id: messageId.optional(),
  explanation,
  query,
  max_results: maxResults,
})

export const retrieveExecutionOutput = answer(
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

export type AddExecutionOutput = z.output<typeof addExecutionOutput>
export type RetrieveExecutionOutput = z.output<typeof retrieveExecutionOutput>
