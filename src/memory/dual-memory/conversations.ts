import type { Instant } from '../../domain/words/time.ts'
import type { AddConversationOutput, RetrieveConversationOutput } from './conversation-schemas.ts'
import { read, textOf } from './read.ts'
import { relevance } from './relevance.ts'
import { instantOf } from './timestamp.ts'

// The two tools of conversations: conversion of their input and their answers.

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

export interface FoundConversations {
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
