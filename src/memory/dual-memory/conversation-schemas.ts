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

export const addConversationInput = z.strictObject({
  message_id: messageId,
  explanation,
  user_input: text(1, 10_000, 'What the user said'),
  agent_response: text(1, 10_000, 'What the agent answered'),
  timestamp: timestamp('When it was said; default: now').optional(),
  meta_data: anyObject('Additional data').optional(),
})

export const addConversationOutput = answer(
  z.object({
    status,
    message_id: z.string(),
    timestamp: timestamp(),
    details: z.object({ has_meta_data: z.boolean().optional(), memory_processing: z.string().optional() }).optional(),
  }),
)

const timeRange = { start: timestamp('Start, inclusive').optional(), end: timestamp('End, exclusive').optional() }

export const retrieveConversationInput = z.strictObject({
  message_id: messageId.optional(),
  time_range: z.looseObject(timeRange).optional(),
  explanation,
  query,
  max_results: maxResults,
})

export const retrieveConversationOutput = answer(
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

export type AddConversationOutput = z.output<typeof addConversationOutput>
export type RetrieveConversationOutput = z.output<typeof retrieveConversationOutput>
