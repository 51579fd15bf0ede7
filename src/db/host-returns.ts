import type { Instant } from '../domain/words/time.ts'
import type { Db } from './engine/db.ts'
import type { HostReturnRow } from './schema/hosts.ts'

export const insertReturn = async (db: Db, row: Omit<HostReturnRow, 'settled_at'>): Promise<void> => {
  await db
    .insertInto('host_returns')
    .values({ ...row, settled_at: null })
    .execute()
}

/** The worktrees with which hosts came back, unless a person has seen them, with their state since. */
export const selectUnsettledReturns = (db: Db) =>
  db
    .selectFrom('host_returns')
    .innerJoin('hosts', 'hosts.id', 'host_returns.host_id')
    .leftJoin('worktrees', 'worktrees.name', 'host_returns.worktree')
    .where('settled_at', 'is', null)
    .selectAll('host_returns')
    .select(['hosts.name as host', 'worktrees.folder', 'worktrees.status', 'worktrees.successor'])
    .orderBy('returned_at')
    .orderBy('worktree')
    .execute()

/** True if the host of a worktree came back with it after this time. */
export const hasReturnedSince = async (db: Db, worktree: string, since: Instant): Promise<boolean> =>
  (await db
    .selectFrom('host_returns')
    .where('worktree', '=', worktree)
    .where('returned_at', '>', since)
    .select('worktree')
    .limit(1)
    .executeTakeFirst()) !== undefined

/** False if there was nothing to settle. */
export const settleReturns = async (db: Db, hostId: string, at: Instant): Promise<boolean> =>
  (
    await db
      .updateTable('host_returns')
      .set({ settled_at: at })
      .where('host_id', '=', hostId)
      .where('settled_at', 'is', null)
      .executeTakeFirst()
  ).numUpdatedRows > 0n
