import { z } from 'zod'
import { selectAttempts } from '../../db/attempts.ts'
import { conversations, executions } from '../../db/dual-memory.ts'
import type { Context } from '../perform/core.ts'
import { errors, messageId, metaData, userId } from './dual-memory.ts'
import { findTask } from '../perform/find.ts'
import { lazyObject, taskId } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { attemptMessageId } from './remember-attempt.ts'

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
