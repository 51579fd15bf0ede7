import { sql } from 'kysely'
import { messageMachine, type MessageState, type MessageVerb } from '../domain/agent/messages.ts'
import type { Instant } from '../domain/words/time.ts'
import type { Db } from './engine/db.ts'
import type { MessageRow, NewMessage } from './schema/agents.ts'

export const insertMessage = async (db: Db, message: NewMessage): Promise<number> =>
  (await db.insertInto('agent_messages').values(message).returning('id').executeTakeFirstOrThrow()).id

export const selectMessage = async (db: Db, id: number): Promise<MessageRow | undefined> =>
  db.selectFrom('agent_messages').where('id', '=', id).selectAll().executeTakeFirst()

/** The newest messages to an agent, or to all agents, oldest first. */
export const selectMessages = async (
  db: Db,
  { agentId, limit }: { readonly agentId?: string | undefined; readonly limit: number },
): Promise<readonly MessageRow[]> => {
  const all = db.selectFrom('agent_messages').selectAll().orderBy('id', 'desc').limit(limit)
  return (await (agentId === undefined ? all : all.where('agent_id', '=', agentId)).execute()).reverse()
}

/** The newest mail of an author, oldest first. */
export const selectSentMail = async (db: Db, author: string, limit: number): Promise<readonly MessageRow[]> =>
  (
    await db
      .selectFrom('agent_messages')
      .where('author', '=', author)
      .where('sent_to', 'is not', null)
      .selectAll()
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
  ).reverse()

/** Mail that its reader has not read, in the order in which it was sent. */
export const selectUnreadMail = async (db: Db, readerId: string): Promise<readonly MessageRow[]> =>
  db
    .selectFrom('agent_messages')
    .where('agent_id', '=', readerId)
    .where('ended_at', 'is', null)
    .where('sent_to', 'is not', null)
    .selectAll()
    .orderBy('id')
    .execute()

/** Messages to a run that have not ended, in the order in which they were said. */
export const selectOpenMessages = async (db: Db, agentId: string, run: number): Promise<readonly MessageRow[]> =>
  db
    .selectFrom('agent_messages')
    .where('run_of', '=', agentId)
    .where('run', '=', run)
    .where('ended_at', 'is', null)
    .selectAll()
    .orderBy('id')
    .execute()

/** Messages that wait for the next attempt of a task, in the order in which they were said. */
export const selectForAttempt = async (db: Db, taskId: number): Promise<readonly MessageRow[]> =>
  db
    .selectFrom('agent_messages')
    .where('task_id', '=', taskId)
    .where('ended_at', 'is', null)
    .where('delivery', '=', sql.lit('attempt' as const))
    .where('status', '=', 'queued')
    .selectAll()
    .orderBy('id')
    .execute()

/** Tasks with messages for their next attempt that will have none, because they are completed or cancelled. */
export const selectTasksWithoutAttempt = async (db: Db): Promise<readonly number[]> =>
  (
    await db
      .selectFrom('agent_messages')
      .innerJoin('task_status', 'task_status.task_id', 'agent_messages.task_id')
      .where('agent_messages.ended_at', 'is', null)
      .where('agent_messages.delivery', '=', sql.lit('attempt' as const))
      .where('agent_messages.status', '=', 'queued')
      .where('task_status.status', 'in', ['completed', 'cancelled'])
      .select('task_status.task_id')
      .distinct()
      .execute()
  ).map(({ task_id }) => task_id)

/** Moves a message by the machine; one that is in another state by now stays as it is. */
export const moveMessage = async (
  db: Db,
  id: number,
  verb: MessageVerb,
  change: Partial<Pick<MessageRow, 'run_of' | 'run' | 'reason' | 'handed_over_at' | 'ended_at'>>,
): Promise<void> => {
  await db
    .updateTable('agent_messages')
    .set({ status: messageMachine[verb].to, ...change })
    .where('id', '=', id)
    .where('status', 'in', messageMachine[verb].from as MessageState[])
    .execute()
}

/** Marks messages as seen; those that ended before stay as they are. */
export const seeMessages = async (db: Db, ids: readonly number[], at: Instant): Promise<void> => {
  for (const id of ids)
    await db
      .updateTable('agent_messages')
      .set((eb) => ({
        status: messageMachine.see.to,
        handed_over_at: eb.fn.coalesce('handed_over_at', eb.val(at)),
        ended_at: at,
      }))
      .where('id', '=', id)
      .where('ended_at', 'is', null)
      .execute()
}

export const insertJournal = async (db: Db, agentId: string, run: number): Promise<void> => {
  await db
    .insertInto('run_journals')
    .values({ agent_id: agentId, run })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The agents among these whose present run has a journal, as `agent.run`. */
export const selectJournals = async (db: Db, agentIds: readonly string[]): Promise<ReadonlySet<string>> =>
  agentIds.length === 0
    ? new Set()
    : new Set(
        (await db.selectFrom('run_journals').where('agent_id', 'in', agentIds).selectAll().execute()).map(
          ({ agent_id, run }) => `${agent_id}.${run}`,
        ),
      )
