import { elapsed, type Instant, later, type Tick } from '../domain/words/time.ts'
import { setTaskDeadlines } from './deadlines.ts'
import type { Db } from './engine/db.ts'
import { together } from './engine/together.ts'
import { statement } from './engine/statement.ts'

/** Extends the leases of all tasks that these agents hold by `ttl` ms from now, in two statements. */
export const extendLeases = async (
  db: Db,
  agentIds: readonly string[],
  { now, tick }: { now: Instant; tick: Tick },
  ttl: number,
): Promise<void> => {
  if (agentIds.length === 0) return
  await together(setTaskDeadlines(db, agentIds, tick, ttl), extend(db, { agentIds, until: later(now, ttl) }))
}

const extend = statement((db, { agentIds, until }: { agentIds: readonly string[]; until: Instant }) =>
  db
    .updateTable('task_status')
    .set({ lease_expires_at: until })
    .where('assigned_agent_id', 'in', agentIds)
    .where('status', 'in', ['claimed', 'in_progress']),
)

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
