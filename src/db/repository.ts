import { CONFIGURATION } from '../domain/integration/trusted-configuration.ts'
import type { Instant } from '../domain/words/time.ts'
import type { Db } from './engine/db.ts'
import type { HostGuardRow, RepositoryGuardRow, WatchedCheckoutRow, WatchedTargetRow } from './schema/worktrees.ts'

// The repository as the board knows it: the git configuration that is trusted, on each host, the target branches,
// and the main checkout.

export const selectGuard = async (db: Db): Promise<RepositoryGuardRow | undefined> =>
  db.selectFrom('repository_guard').selectAll().executeTakeFirst()

/** The hash of the trusted configuration, and of a different one, if any. */
export const selectGuardHashes = async (db: Db) =>
  db.selectFrom('repository_guard').select(['hash', 'changed_hash']).executeTakeFirst()

/** True while the configuration differs from the trusted one. */
export const isGuardChanged = async (db: Db): Promise<boolean> =>
  ((await selectGuardHashes(db))?.changed_hash ?? null) !== null

/** The trusted text of aiswarm's configuration; undefined if none was recorded. */
export const selectTrustedConfiguration = async (db: Db): Promise<string | undefined> => {
  const row = await db.selectFrom('repository_guard').select('entries').executeTakeFirst()
  return row && (JSON.parse(row.entries) as Record<string, string>)[CONFIGURATION]
}

/** Trusts these entries from now on. */
export const trust = async (
  db: Db,
  found: { hash: string; entries: string; accepted_by: string; accepted_at: Instant },
): Promise<void> => {
  const row = { ...found, changed_hash: null, changed_entries: null, changes: null, changed_at: null }
  await db
    .insertInto('repository_guard')
    .values({ id: 1, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
}

/** Trusts other entries in place of these; recorded differences stay. False if others are trusted by now. */
export const replaceTrusted = async (
  db: Db,
  before: string,
  found: { hash: string; entries: string },
): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('repository_guard')
    .set(found)
    .where('id', '=', 1)
    .where('hash', '=', before)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Records the differences from the trusted entries; null if there are none any more. */
export const recordDifference = async (
  db: Db,
  difference: { changed_hash: string; changed_entries: string; changes: string; changed_at: Instant } | null,
): Promise<void> => {
  await db
    .updateTable('repository_guard')
    .set(difference ?? { changed_hash: null, changed_entries: null, changes: null, changed_at: null })
    .where('id', '=', 1)
    .execute()
}

// The configuration of git in the clones of hosts other than the first, as `repository_guard` has that of the first one.

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
