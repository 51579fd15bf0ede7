import { sealEvent } from './event-chain.ts'
import type { EventRow } from './schema/schema.ts'
import { type Db, sealsEvents } from './engine/db.ts'
import { statement } from './engine/statement.ts'

/** Inserts an event and seals it. */
export const insertEvent = async (db: Db, event: Omit<EventRow, 'id'>): Promise<void> => {
  if (sealsEvents(db)) return void (await append(db, event))
  const { id } = (await insert(db, event)).rows[0]!
  await sealEvent(db, { ...event, id })
}

const append = statement((db, { at, actor, operation, task_id, agent_id, worktree, details }: Omit<EventRow, 'id'>) =>
  db.selectNoFrom((eb) =>
    eb
      .fn<null>(
        'append_event',
        [at, actor, operation, task_id, agent_id, worktree, details].map((value) => eb.val(value)),
      )
      .as('appended'),
  ),
)

const insert = statement((db, event: Omit<EventRow, 'id'>) => db.insertInto('events').values(event).returning('id'))

/** The decisions about the integrations of a worktree, oldest first. */
export const selectIntegrationEvents = async (db: Db, worktree: string): Promise<readonly EventRow[]> =>
  db
    .selectFrom('events')
    .selectAll()
    .where('worktree', '=', worktree)
    .where('operation', 'in', ['record_candidate', 'record_verification', 'approve_integration', 'record_restack'])
    .orderBy('id')
    .execute()

/** The newest events of some operations on a task, oldest first. */
export const selectTaskEvents = async (
  db: Db,
  { taskId, operations, limit }: { taskId: number; operations: readonly string[]; limit: number },
): Promise<readonly EventRow[]> =>
  (
    await db
      .selectFrom('events')
      .selectAll()
      .where('task_id', '=', taskId)
      .where('operation', 'in', [...operations])
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
  ).reverse()

/** Events after an id, oldest first; without an id the newest `limit`, oldest first. */
export const selectEvents = async (
  db: Db,
  { afterId, limit }: { afterId?: number; limit: number },
): Promise<readonly EventRow[]> => {
  const query = db.selectFrom('events').selectAll().limit(limit)
  if (afterId !== undefined) return query.where('id', '>', afterId).orderBy('id').execute()
  return (await query.orderBy('id', 'desc').execute()).reverse()
}

/** The number of the newest event, which grows with every event except heartbeats. */
export const selectLastEventId = async (db: Db): Promise<number> =>
  (await db.selectFrom('events').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst())?.id ?? 0
