import { z } from 'zod'
import { selectAttempts } from '../../db/attempts.ts'
import {
  conversationPlace,
  conversations,
  countConversationsOf,
  executions,
  selectConversationHeads,
} from '../../db/dual-memory.ts'
import type { Context } from '../perform/core.ts'
import { findTask } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject, taskId } from '../perform/schemas.ts'
import { attemptMessageId } from './attempts.ts'
import { errors, messageId, metaData, userId } from './dual-memory.ts'

// The dual memory as the console shows it: the trail of a task, and the list of conversations.

const attempt = lazyObject(() => ({
  attempt: z.int(),
  agentId: z.string(),
  claimedAt: z.string(),
  endedAt: z.string().nullable(),
  outcome: z.string().nullable(),
  error: z.string().nullable(),
  tokensIn: z.int().nullable(),
  tokensOut: z.int().nullable(),
  costUsd: z.number().nullable(),
}))

/** The conversation and the execution under one message id; null if there is none. */
const turn = lazyObject(() => ({
  messageId: z.string(),
  /** Its attempt; null if it was requested by id. */
  attempt: attempt().nullable(),
  conversation: z.object({ at: z.string(), userInput: z.string(), agentResponse: z.string(), metaData }).nullable(),
  execution: z
    .object({
      at: z.string(),
      success: z.boolean(),
      durationMs: z.int().nullable(),
      summary: z.string(),
      observations: z.string(),
      toolsUsed: z.array(z.string()),
      errors: errors(),
      metaData,
    })
    .nullable(),
}))
export type Turn = z.output<ReturnType<typeof turn>>

export const readTrail = operation({
  name: 'read_trail',
  summary: 'Read the conversations and executions of every attempt of a task, oldest first, or of one message id',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ userId, of: z.union([z.strictObject({ taskId }), z.strictObject({ messageId })]) }),
  output: () => z.array(turn()),
  run: async (context, { userId, of }) => {
    if ('messageId' in of) return [{ attempt: null, ...(await remembered(context, userId, of.messageId)) }]
    const task = await findTask(context.db, of.taskId)
    const attempts = await selectAttempts(context.db, task.id)
    return Promise.all(
      attempts.map(async (row) => ({
        ...(await remembered(context, userId, await attemptMessageId(context, task, row))),
        attempt: {
          attempt: row.attempt,
          agentId: row.agent_id,
          claimedAt: row.claimed_at,
          endedAt: row.ended_at,
          outcome: row.outcome,
          error: row.error,
          tokensIn: row.tokens_in,
          tokensOut: row.tokens_out,
          costUsd: row.cost_usd,
        },
      })),
    )
  },
})

const remembered = async ({ db }: Context, userId: string, messageId: string): Promise<Omit<Turn, 'attempt'>> => {
  const [said, done] = await Promise.all([
    conversations.select(db, userId, messageId),
    executions.select(db, userId, messageId),
  ])
  return {
    messageId,
    conversation: said
      ? {
          at: said.at,
          userInput: said.user_input,
          agentResponse: said.agent_response,
          metaData: objectOf(said.meta_data),
        }
      : null,
    execution: done
      ? {
          at: done.at,
          success: done.success === 1,
          durationMs: done.duration_ms,
          summary: done.execution_summary,
          observations: done.observations,
          toolsUsed: JSON.parse(done.tools_used) as string[],
          errors: JSON.parse(done.errors) as NonNullable<Turn['execution']>['errors'],
          metaData: objectOf(done.meta_data),
        }
      : null,
  }
}

const objectOf = (text: string | null): Readonly<Record<string, unknown>> =>
  JSON.parse(text ?? '{}') as Readonly<Record<string, unknown>>

const head = lazyObject(() => ({
  messageId: z.string(),
  at: z.string(),
  /** The beginning of the prompt. */
  said: z.string(),
  /** True if its execution succeeded; null if it has none. */
  success: z.boolean().nullable(),
}))

const conversationPage = lazyObject(() => ({
  total: z.int(),
  /** The index of the first one returned, from 0. */
  from: z.int(),
  /** The index of the requested one; null if its id does not exist. */
  place: z.int().nullable(),
  conversations: z.array(head()),
}))
export type ConversationPage = z.output<ReturnType<typeof conversationPage>>

export const listConversations = operation({
  name: 'list_conversations',
  summary: 'List the conversations, newest first, a page at a time',
  access: 'read',
  authority: 'anyone',
  input: () =>
    z.strictObject({
      userId,
      from: z.int().min(0),
      limit: z.int().min(1).max(500),
      /** The page surrounds this entry if it exists, wherever it is now. */
      around: messageId.optional(),
    }),
  output: conversationPage,
  run: async ({ db }, { userId, from, limit, around }) => {
    const total = await countConversationsOf(db, userId)
    const place = around === undefined ? undefined : await conversationPlace(db, userId, around)
    const wanted = place === undefined ? from : place - Math.floor(limit / 2)
    const first = Math.max(0, Math.min(wanted, total - limit))
    const rows = await selectConversationHeads(db, userId, first, limit)
    return {
      total,
      from: first,
      place: place ?? null,
      conversations: rows.map(({ message_id, at, said, success }) => ({
        messageId: message_id,
        at,
        said,
        success: success === null ? null : success === 1,
      })),
    }
  },
})
