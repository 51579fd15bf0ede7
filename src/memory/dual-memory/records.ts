import type { Instant } from '../../domain/words/time.ts'
import {
  type AddConversationOutput,
  type AddExecutionOutput,
  instantOf,
  read,
  type RetrieveConversationOutput,
  type RetrieveExecutionOutput,
  textOf,
} from './schemas.ts'

// The records of seed 003, conversations and executions: the input of its four tools for the operations, and their
// answers.

export const readConversation = (given: unknown) => {
  const { message_id, user_input, agent_response, timestamp, meta_data } = read('add_conversation', given)
  return {
    messageId: message_id,
    userInput: user_input,
    agentResponse: agent_response,
    at: timestamp && instantOf(timestamp),
    metaData: meta_data,
  }
}

export const conversationStored = (
  { messageId, metaData }: ReturnType<typeof readConversation>,
  { stored, at }: { stored: boolean; at: Instant },
): AddConversationOutput => ({
  success: true,
  message: stored
    ? `Conversation ${messageId} is stored.`
    : `Conversation ${messageId} was already stored; nothing changed.`,
  data: {
    status: 'success',
    message_id: messageId,
    timestamp: at,
    details: { has_meta_data: metaData !== undefined, memory_processing: stored ? 'stored' : 'already_stored' },
  },
})

export const conversationRefused = (sentence: string, given: unknown, now: Instant): AddConversationOutput => ({
  success: false,
  message: sentence,
  data: { status: 'error', message_id: textOf(given, 'message_id', 100), timestamp: now },
})

export const readConversationQuery = (given: unknown) => {
  const { message_id, query, explanation, time_range, max_results } = read('retrieve_conversation', given)
  const { start, end } = time_range ?? {}
  return {
    asked: {
      query,
      explanation,
      message_id,
      time_range: time_range && { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) },
    },
    search: {
      query,
      messageId: message_id,
      from: start && instantOf(start),
      until: end && instantOf(end),
      limit: max_results,
    },
  }
}

interface FoundConversations {
  readonly total: number
  readonly conversations: readonly {
    readonly messageId: string
    readonly at: Instant
    readonly userInput: string
    readonly agentResponse: string
    readonly metaData: Readonly<Record<string, unknown>>
    readonly hasExecution: boolean
    readonly rank: number | null
  }[]
}

export const conversationsFound = (
  { asked }: ReturnType<typeof readConversationQuery>,
  { total, conversations }: FoundConversations,
  now: Instant,
): RetrieveConversationOutput => {
  const scores = relevance(conversations.map(({ rank }) => rank))
  return {
    success: true,
    message: `${total} ${total === 1 ? 'conversation' : 'conversations'} found${total > conversations.length ? `, ${conversations.length} of them shown` : ''}.`,
    data: {
      status: 'success',
      query: asked.query,
      explanation: asked.explanation,
      query_type: conversationQueryType(asked),
      ...(asked.message_id === undefined ? {} : { requested_message_id: asked.message_id }),
      retrieval_timestamp: now,
      ...(asked.time_range === undefined ? {} : { time_range: asked.time_range }),
      conversations: conversations.map((one, index) => ({
        message_id: one.messageId,
        conversation_timestamp: one.at,
        user_input: one.userInput,
        agent_response: one.agentResponse,
        meta_data: one.metaData,
        has_execution_memory: one.hasExecution,
        relevance_score: scores[index]!,
      })),
      total_found: total,
      returned_count: conversations.length,
      max_results_applied: total > conversations.length,
    },
  }
}

export const conversationQueryRefused = (
  sentence: string,
  given: unknown,
  now: Instant,
): RetrieveConversationOutput => ({
  success: false,
  message: sentence,
  data: {
    status: 'error',
    query: textOf(given, 'query', 4000),
    explanation: textOf(given, 'explanation', 4000),
    query_type: conversationQueryType(given ?? {}),
    retrieval_timestamp: now,
    conversations: [],
    total_found: 0,
    returned_count: 0,
    max_results_applied: false,
  },
})

const conversationQueryType = ({
  message_id,
  time_range,
}: {
  message_id?: unknown
  time_range?: unknown
}): RetrieveConversationOutput['data']['query_type'] =>
  message_id !== undefined ? 'specific_message' : time_range !== undefined ? 'time_filtered' : 'general'

// The two tools of executions: conversion of their input and their answers.

export const readExecution = (given: unknown) => {
  const {
    message_id,
    execution_summary,
    tools_used,
    errors,
    observations,
    success,
    duration_ms,
    timestamp,
    meta_data,
  } = read('add_execution', given)
  return {
    messageId: message_id,
    summary: execution_summary,
    toolsUsed: tools_used,
    errors,
    observations,
    success,
    durationMs: duration_ms,
    at: timestamp && instantOf(timestamp),
    metaData: meta_data,
  }
}

export const executionStored = (
  execution: ReturnType<typeof readExecution>,
  { stored, at }: { stored: boolean; at: Instant },
): AddExecutionOutput => {
  const { messageId, summary, toolsUsed, errors, success, durationMs, metaData } = execution
  const details = {
    execution_summary: summary,
    tools_used: toolsUsed,
    errors,
    tools_count: toolsUsed.length,
    errors_count: errors.length,
    ...(durationMs === undefined ? {} : { duration_ms: durationMs }),
    success,
    has_meta_data: metaData !== undefined,
    memory_processing: stored ? 'stored' : 'already_stored',
  }
  return {
    success: true,
    message: stored
      ? `Execution ${messageId} is stored.`
      : `Execution ${messageId} was already stored; nothing changed.`,
    data: { status: 'success', message_id: messageId, timestamp: at, details },
  }
}

export const executionRefused = (sentence: string, given: unknown, now: Instant): AddExecutionOutput => ({
  success: false,
  message: sentence,
  data: { status: 'error', message_id: textOf(given, 'message_id', 100), timestamp: now },
})

export const readExecutionQuery = (given: unknown) => {
  const { message_id, query, explanation, max_results } = read('retrieve_execution', given)
  return { asked: { query, explanation, message_id }, search: { query, messageId: message_id, limit: max_results } }
}

interface FoundExecutions {
  readonly total: number
  readonly executions: readonly {
    readonly messageId: string
    readonly at: Instant
    readonly summary: string
    readonly toolsUsed: readonly string[]
    readonly errors: readonly { readonly error_type: string; readonly error_message: string }[]
    readonly observations: string
    readonly success: boolean
    readonly durationMs: number | null
    readonly rank: number | null
  }[]
}

export const executionsFound = (
  { asked }: ReturnType<typeof readExecutionQuery>,
  { total, executions }: FoundExecutions,
  now: Instant,
): RetrieveExecutionOutput => {
  const scores = relevance(executions.map(({ rank }) => rank))
  return {
    success: true,
    message: `${total} ${total === 1 ? 'execution' : 'executions'} found${total > executions.length ? `, ${executions.length} of them shown` : ''}.`,
    data: {
      status: 'success',
      query: asked.query,
      explanation: asked.explanation,
      query_type: executionQueryType(asked),
      ...(asked.message_id === undefined ? {} : { requested_message_id: asked.message_id }),
      retrieval_timestamp: now,
      executions: executions.map((one, index) => ({
        message_id: one.messageId,
        execution_timestamp: one.at,
        execution_details: {
          execution_summary: one.summary,
          tools_used: [...one.toolsUsed],
          errors: [...one.errors],
          observations: one.observations,
        },
        success: one.success,
        duration_ms: one.durationMs ?? 0,
        relevance_score: scores[index]!,
      })),
      total_found: total,
      returned_count: executions.length,
      max_results_applied: total > executions.length,
    },
  }
}

export const executionQueryRefused = (sentence: string, given: unknown, now: Instant): RetrieveExecutionOutput => ({
  success: false,
  message: sentence,
  data: {
    status: 'error',
    query: textOf(given, 'query', 4000),
    explanation: textOf(given, 'explanation', 4000),
    query_type: executionQueryType(given ?? {}),
    retrieval_timestamp: now,
    executions: [],
    total_found: 0,
    returned_count: 0,
    max_results_applied: false,
  },
})

const executionQueryType = ({ message_id }: { message_id?: unknown }): RetrieveExecutionOutput['data']['query_type'] =>
  message_id === undefined ? 'pattern_search' : 'specific_message'

/**
 * The relevance of each record from 0 to 1, relative to the best one. `ranks` are FTS5's, best first: lower is better,
 * and below 0. A record that was requested by its id (null) has relevance 1.
 */
export const relevance = (ranks: readonly (number | null)[]): readonly number[] => {
  const best = ranks[0] ?? 0
  return ranks.map((rank) => (rank === null || best >= 0 ? 1 : Math.min(1, Math.max(0, rank / best))))
}
