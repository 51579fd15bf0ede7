import { elapsed, type Instant, later, type Tick } from '../domain/words/time.ts'
import { setTaskDeadlines } from './deadlines.ts'
import type { Db } from './engine/sqlite.ts'

/** Extends the leases of all tasks that an agent holds by `ttl` ms from now. */
export const extendLeases = async (
  db: Db,
  agentId: string,
  { now, tick }: { now: Instant; tick: Tick },
  ttl: number,
): Promise<void> => {
  const until = later(now, ttl)
  await setTaskDeadlines(db, agentId, tick, ttl)
  await db
    .updateTable('task_status')
    .set({ lease_expires_at: until })
    .where('assigned_agent_id', '=', agentId)
    .where('status', 'in', ['claimed', 'in_progress'])
    .execute()
}

/**
 * Retries wait by the wall clock. If that was set back, they would wait longer, so they start their delay again. Waits
 * for a quota are kept, because their instant comes from another clock.
 */
export const restartDelays = async (db: Db, now: Instant): Promise<void> => {
  const rows = await db
    .selectFrom('task_status')
    .select(['task_id', 'not_before', 'changed_at'])
    .where('status', '=', 'pending')
    .where('not_before', '>', now)
    .where('changed_at', '>', now)
    .where('not_before', 'not in', db.selectFrom('kind_sleeps').select('until'))
    .execute()
  for (const { task_id, not_before, changed_at } of rows) {
    const delay = elapsed(changed_at, not_before!)
    await db
      .updateTable('task_status')
      .set({ not_before: later(now, delay), changed_at: now })
      .where('task_id', '=', task_id)
      .where('status', '=', 'pending')
      .execute()
  }
}
