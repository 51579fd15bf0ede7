import type { Instant } from '../domain/time.ts'
import type { LeaseRow } from './schema.ts'
import type { Db } from './sqlite.ts'

export const selectLease = async (db: Db, name: string): Promise<LeaseRow | undefined> => db.selectFrom('leases').where('name', '=', name).selectAll().executeTakeFirst()

/**
 * Takes or renews the lease: granted where it is free, lapsed, or already the holder's. `taking` a lapsed lease
 * begins a new term.
 */
export const takeLease = async (db: Db, lease: { name: string; holder: string; holder_pid: number; now: Instant; until: Instant }): Promise<boolean> => {
  const { name, holder, holder_pid, now, until } = lease
  const result = await db
    .insertInto('leases')
    .values({ name, holder, holder_pid, term: 1, acquired_at: now, expires_at: until })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet((eb) => ({
          holder,
          holder_pid,
          term: eb
            .case()
            .when('leases.holder', '=', holder)
            .then(eb.ref('leases.term'))
            .else(eb('leases.term', '+', 1))
            .end(),
          acquired_at: eb.case().when('leases.holder', '=', holder).then(eb.ref('leases.acquired_at')).else(now).end(),
          expires_at: until,
        }))
        .where((eb) => eb.or([eb('leases.holder', '=', holder), eb('leases.expires_at', '<=', now)])),
    )
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) === 1n
}

/** Prolongs a lease that nobody else has taken since, even if it has lapsed; false where somebody has. */
export const renewLease = async (db: Db, { name, holder, until }: { name: string; holder: string; until: Instant }): Promise<boolean> => {
  const result = await db.updateTable('leases').set({ expires_at: until }).where('name', '=', name).where('holder', '=', holder).executeTakeFirst()
  return result.numUpdatedRows === 1n
}

export const releaseLease = async (db: Db, name: string, holder: string): Promise<void> => {
  await db.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute()
}
