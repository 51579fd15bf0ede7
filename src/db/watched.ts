import type { Db } from './engine/db.ts'
import type { WatchedCheckoutRow, WatchedTargetRow } from './schema/integrations.ts'

/** Nothing waits for a person. */
export const notMoved = {
  moved_oid: null,
  moved_at: null,
  commits: null,
  agents: null,
  put_back_at: null,
  problem: null,
} as const

export const selectWatchedTargets = async (db: Db): Promise<readonly WatchedTargetRow[]> =>
  db.selectFrom('watched_targets').selectAll().orderBy('target').execute()

export const selectWatchedTarget = async (db: Db, target: string): Promise<WatchedTargetRow | undefined> =>
  db.selectFrom('watched_targets').where('target', '=', target).selectAll().executeTakeFirst()

export const selectMovedTargets = async (db: Db): Promise<readonly WatchedTargetRow[]> =>
  db.selectFrom('watched_targets').where('moved_at', 'is not', null).selectAll().orderBy('target').execute()

export const insertWatchedTarget = async (db: Db, target: string, oid: string | null): Promise<void> => {
  await db
    .insertInto('watched_targets')
    .values({ target, known_oid: oid, seen_oid: oid, ...notMoved })
    .execute()
}

export const changeWatchedTarget = async (
  db: Db,
  target: string,
  change: Partial<Omit<WatchedTargetRow, 'target'>>,
): Promise<void> => {
  await db.updateTable('watched_targets').set(change).where('target', '=', target).execute()
}

/** Follows a move by aiswarm: if nothing waits for a person, the new commit is known. */
export const advanceWatchedTarget = async (db: Db, target: string, from: string, to: string): Promise<void> => {
  const row = await selectWatchedTarget(db, target)
  if (row?.seen_oid !== from) return
  await changeWatchedTarget(db, target, row.moved_at === null ? { known_oid: to, seen_oid: to } : { seen_oid: to })
}

/** The target branches of past and possible integrations. */
export const selectTargets = async (db: Db): Promise<readonly string[]> => {
  const integrated = await db.selectFrom('integrations').select('target').distinct().execute()
  const wanted = await db
    .selectFrom('worktrees')
    .where('status', '=', 'active')
    .select('integration_target as target')
    .distinct()
    .execute()
  return [...new Set([...integrated, ...wanted].flatMap(({ target }) => target ?? []))].sort()
}

export const selectWatchedCheckout = async (db: Db): Promise<WatchedCheckoutRow | undefined> =>
  db.selectFrom('watched_checkout').selectAll().executeTakeFirst()

export const saveWatchedCheckout = async (db: Db, row: Omit<WatchedCheckoutRow, 'id'>): Promise<void> => {
  await db
    .insertInto('watched_checkout')
    .values({ id: 1, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
}
