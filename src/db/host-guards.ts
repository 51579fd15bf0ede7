import type { Db } from './engine/db.ts'
import type { HostGuardRow } from './schema/integrations.ts'

// The configuration of git in the clones of hosts other than the first, as db/repository-guard.ts has that of the first one.

export const selectHostGuard = (db: Db, hostId: string): Promise<HostGuardRow | undefined> =>
  db.selectFrom('host_guards').where('host_id', '=', hostId).selectAll().executeTakeFirst()

/** Those that differ from what is trusted, with the names of their hosts; not of hosts that have left. */
export const selectChangedHostGuards = (db: Db) =>
  db
    .selectFrom('host_guards')
    .innerJoin('hosts', 'hosts.id', 'host_guards.host_id')
    .where('host_guards.changed_at', 'is not', null)
    .where('hosts.state', '<>', 'gone')
    .select(['hosts.name', 'host_guards.changed_at', 'host_guards.changes'])
    .orderBy('hosts.name')
    .execute()

export const trustHostGuard = async (
  db: Db,
  hostId: string,
  found: Pick<HostGuardRow, 'hash' | 'entries' | 'accepted_by' | 'accepted_at'>,
): Promise<void> => {
  const row = { ...found, changed_hash: null, changed_entries: null, changes: null, changed_at: null }
  await db
    .insertInto('host_guards')
    .values({ host_id: hostId, ...row })
    .onConflict((conflict) => conflict.column('host_id').doUpdateSet(row))
    .execute()
}

/** Records the differences from the trusted entries; null if there are none any more. */
export const recordHostDifference = async (
  db: Db,
  hostId: string,
  difference: Pick<HostGuardRow, 'changed_hash' | 'changed_entries' | 'changes' | 'changed_at'> | null,
): Promise<void> => {
  await db
    .updateTable('host_guards')
    .set(difference ?? { changed_hash: null, changed_entries: null, changes: null, changed_at: null })
    .where('host_id', '=', hostId)
    .execute()
}
