import { elapsed, type Instant, later, type Tick } from '../domain/words/time.ts'
import { deadlineOf, removeDeadline, removeDeadlines, setDeadline } from './deadlines.ts'
import type { LeaseRow } from './schema/schema.ts'
import type { Db } from './engine/db.ts'
import { statement } from './engine/statement.ts'

/** The lease of a role that a process has; a released one is left as a row, so that its term is never given again. */
export const selectLease = async (db: Db, name: string): Promise<LeaseRow | undefined> => {
  const lease = (await leaseOf(db, { name })).rows[0]
  return lease?.holder === RELEASED ? undefined : lease
}

const RELEASED = ''

const leaseOf = statement((db, { name }: { name: string }) =>
  db.selectFrom('leases').where('name', '=', name).selectAll(),
)

/**
 * The lease, unless it has expired. A lease of another boot is valid until a process has waited for its whole term (see
 * `takeLease`).
 */
export const selectLiveLease = async (db: Db, name: string, tick: Tick): Promise<LeaseRow | undefined> =>
  (await deadlineOf(db, 'role', name, tick)) === 'over' ? undefined : selectLease(db, name)

/** Roles that a process has by the wall clock. */
export const selectHeldLeases = (db: Db, now: Instant): Promise<readonly LeaseRow[]> =>
  db.selectFrom('leases').where('expires_at', '>', now).selectAll().orderBy('name').execute()

interface Wanted {
  readonly name: string
  readonly holder: string
  readonly holder_pid: number
  readonly now: Instant
  readonly tick: Tick
  /** Milliseconds. */
  readonly ttl: number
}

export interface TakenLease {
  readonly granted: boolean
  /** How long ago the lease expired that this one replaces or renews (ms); 0 if no process had the role, or has it. */
  readonly lapsed: number
}

/**
 * Takes or renews the lease for `ttl` ms: granted if it is free, expired, or already the holder's. Taking an expired
 * lease begins a new term. The deadline of a holder on another boot cannot be read here, so that holder gets `ttl` ms
 * by this clock first.
 */
export const takeLease = async (db: Db, { name, holder, holder_pid, now, tick, ttl }: Wanted): Promise<TakenLease> => {
  const lease = (await leaseOf(db, { name })).rows[0]
  const lapsed = lease && lease.holder !== RELEASED ? Math.max(0, elapsed(lease.expires_at, now)) : 0
  const renewed = lease?.holder === holder
  if (lease && !renewed && lease.holder !== RELEASED) {
    const standing = await deadlineOf(db, 'role', name, tick)
    if (standing !== 'running' && standing !== 'over') await setDeadline(db, 'role', name, tick, ttl)
    if (standing !== 'over') return { granted: false, lapsed: 0 }
  }
  const term = renewed ? lease.term : (lease?.term ?? 0) + 1
  const row = { holder, holder_pid, term, acquired_at: renewed ? lease.acquired_at : now, expires_at: later(now, ttl) }
  await db
    .insertInto('leases')
    .values({ name, ...row })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet(row)
        .where('leases.holder', '=', lease?.holder ?? holder),
    )
    .execute()
  await setDeadline(db, 'role', name, tick, ttl)
  return { granted: true, lapsed }
}

/** Extends a lease by `ttl` ms, even if it has expired; false if another process has taken it since. */
export const renewLease = async (
  db: Db,
  { name, holder, now, tick, ttl }: Omit<Wanted, 'holder_pid'>,
): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('leases')
    .set({ expires_at: later(now, ttl) })
    .where('name', '=', name)
    .where('holder', '=', holder)
    .executeTakeFirst()
  if (numUpdatedRows === 1n) await setDeadline(db, 'role', name, tick, ttl)
  return numUpdatedRows === 1n
}

/** Gives a role back. The row stays, with its term. */
export const releaseLease = async (db: Db, name: string, holder: string): Promise<void> => {
  const { numUpdatedRows } = await db
    .updateTable('leases')
    .set((eb) => ({ holder: RELEASED, expires_at: eb.ref('acquired_at') }))
    .where('name', '=', name)
    .where('holder', '=', holder)
    .executeTakeFirst()
  if (numUpdatedRows === 1n) await removeDeadline(db, 'role', name)
}

/**
 * Takes every role from its holder, and leaves out the terms that a board may have given before it was restored to an
 * earlier time.
 */
export const beginLaterTerms = async (db: Db): Promise<void> => {
  await db
    .updateTable('leases')
    .set((eb) => ({ holder: RELEASED, expires_at: eb.ref('acquired_at'), term: eb('term', '+', LATER) }))
    .execute()
  await removeDeadlines(db, 'role')
}

const LATER = 1000
