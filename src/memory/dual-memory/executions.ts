import type { Instant } from '../../domain/words/time.ts'
import type { AddExecutionOutput, RetrieveExecutionOutput } from './execution-schemas.ts'
import { read, textOf } from './read.ts'
import { relevance } from './relevance.ts'
import { instantOf } from './timestamp.ts'

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

export interface FoundExecutions {
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
