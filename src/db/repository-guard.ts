import type { Instant } from '../domain/time.ts'
import type { RepositoryGuardRow } from './integration-tables.ts'
import type { Db } from './sqlite.ts'

export const selectGuard = async (db: Db): Promise<RepositoryGuardRow | undefined> => db.selectFrom('repository_guard').selectAll().executeTakeFirst()

/** True while something differs from what is trusted. */
export const isGuardChanged = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('repository_guard').where('changed_hash', 'is not', null).select('id').executeTakeFirst()) !== undefined

/** Trusts this from now on. */
export const trust = async (db: Db, found: { hash: string; entries: string; accepted_by: string; accepted_at: Instant }): Promise<void> => {
  const row = { ...found, changed_hash: null, changed_entries: null, changes: null, changed_at: null }
  await db
    .insertInto('repository_guard')
    .values({ id: 1, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
}

/** Records what differs from what is trusted; null when nothing does any more. */
export const recordDifference = async (db: Db, difference: { changed_hash: string; changed_entries: string; changes: string; changed_at: Instant } | null): Promise<void> => {
  await db
    .updateTable('repository_guard')
    .set(difference ?? { changed_hash: null, changed_entries: null, changes: null, changed_at: null })
    .where('id', '=', 1)
    .execute()
}
