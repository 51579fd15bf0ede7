import { CONFIGURATION } from '../domain/integration/trusted-configuration.ts'
import type { Instant } from '../domain/words/time.ts'
import type { RepositoryGuardRow } from './schema/integrations.ts'
import type { Db } from './engine/db.ts'

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
