import { z } from 'zod'
import { moveMessage, selectForAttempt, selectOpenMessages, selectTasksWithoutAttempt } from '../../db/messages.ts'
import type { MessageRow } from '../../db/schema/agents.ts'
import { authorKinds, deliveries, messageKinds, messageStates } from '../../domain/agent/messages.ts'
import type { Context } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject, taskId } from '../perform/schemas.ts'

/** A message for the surfaces. */
export const messageView = lazyObject(() => ({
  id: z.int(),
  kind: z.enum(messageKinds),
  agentId: z.string(),
  taskId: z.int().nullable(),
  author: z.string(),
  authorKind: z.enum(authorKinds),
  text: z.string(),
  /** The address of mail: an agent, a persona, the planner or the person. Null if it was said. */
  sentTo: z.string().nullable(),
  when: z.enum(deliveries),
  status: z.enum(messageStates),
  /** Why it was refused. */
  reason: z.string().nullable(),
  saidAt: z.string(),
  handedOverAt: z.string().nullable(),
  /** When it was seen or refused. */
  endedAt: z.string().nullable(),
}))
export type MessageView = z.output<ReturnType<typeof messageView>>

export const viewMessage = (row: MessageRow): MessageView => ({
  id: row.id,
  kind: row.kind,
  agentId: row.agent_id,
  taskId: row.task_id,
  author: row.author,
  authorKind: row.author_kind,
  text: row.body,
  sentTo: row.sent_to,
  when: row.delivery,
  status: row.status,
  reason: row.reason,
  saidAt: row.said_at,
  handedOverAt: row.handed_over_at,
  endedAt: row.ended_at,
})

/**
 * Ends the messages to a run that has ended. A message that it got with its prompt counts as seen, unless the run could
 * not work: then the next attempt gets it.
 */
export const endMessages = async (
  { db, now }: Pick<Context, 'db' | 'now'>,
  agentId: string,
  run: number,
  couldWork: boolean,
): Promise<void> => {
  for (const { id, delivery, status } of await selectOpenMessages(db, agentId, run)) {
    if (delivery === 'attempt' && !couldWork)
      await moveMessage(db, id, 'return', { run_of: null, run: null, handed_over_at: null })
    else if (delivery === 'attempt') await moveMessage(db, id, 'see', { ended_at: now })
    else await moveMessage(db, id, 'refuse', { reason: status === 'queued' ? NOT_HANDED : NOT_READ, ended_at: now })
  }
}

const NOT_HANDED = 'The run ended before the message could be handed over.'
const NOT_READ = 'The run ended before the agent read the message.'

/** Refuses messages to attempts that there will not be. */
export const endMessagesOfEndedTasks = async ({ db, now }: Pick<Context, 'db' | 'now'>): Promise<void> => {
  for (const taskId of await selectTasksWithoutAttempt(db))
    for (const { id } of await selectForAttempt(db, taskId))
      await moveMessage(db, id, 'refuse', {
        reason: `Task ${taskId} has ended, so it has no next attempt.`,
        ended_at: now,
      })
}

export const readForAttempt = operation({
  name: 'read_for_attempt',
  summary: 'Read the messages that wait for the next attempt of a task',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ taskId }),
  output: () => z.array(messageView()),
  run: async ({ db }, { taskId }) => (await selectForAttempt(db, taskId)).map(viewMessage),
})
