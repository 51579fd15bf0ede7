import { sql } from 'kysely'
import { elapsed, type Instant, later, type Tick } from '../domain/words/time.ts'
import { type Db, statement, together } from './engine/db.ts'
import type { DeadlinesTable, DeadlineSubject, LeaseRow } from './schema/schema.ts'

// The leases of roles and tasks, and the deadlines by which they end.

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

interface TakenLease {
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

// Deadlines by the monotonic clock, which counts from the boot. A deadline of another boot is therefore meaningless:
// the process that finds one gives its subject a new term from that moment by its own clock (`adoptDeadlines`).

/** Sets the deadline to `term` ms from now. */
export const setDeadline = async (
  db: Db,
  subject: DeadlineSubject,
  id: string | number,
  tick: Tick,
  term: number,
): Promise<void> => {
  await put(db, { subject, id: String(id), boot: tick.boot, ends_ms: tick.ms + term })
}

const put = statement((db, row: DeadlinesTable) =>
  db
    .insertInto('deadlines')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['subject', 'id']).doUpdateSet({ boot: row.boot, ends_ms: row.ends_ms }),
    ),
)

/** As `setDeadline`, for a task and the agent that claims it. */
export const setClaimDeadlines = async (
  db: Db,
  { taskId, agentId }: { taskId: number; agentId: string },
  tick: Tick,
  term: number,
): Promise<void> => {
  await putClaim(db, { taskId: String(taskId), agentId, boot: tick.boot, ends_ms: tick.ms + term })
}

const putClaim = statement(
  (db, { taskId, agentId, ...ends }: { taskId: string; agentId: string; boot: string; ends_ms: number }) =>
    db
      .insertInto('deadlines')
      .values([
        { subject: 'task', id: taskId, ...ends },
        { subject: 'agent', id: agentId, ...ends },
      ])
      .onConflict((conflict) =>
        conflict
          .columns(['subject', 'id'])
          .doUpdateSet((eb) => ({ boot: eb.ref('excluded.boot'), ends_ms: eb.ref('excluded.ends_ms') })),
      ),
)

/** As `setDeadline`, for all tasks that these agents hold. */
const setTaskDeadlines = async (db: Db, agentIds: readonly string[], tick: Tick, term: number): Promise<void> => {
  await putHeld(db, { agentIds, boot: tick.boot, ends: tick.ms + term })
}

const putHeld = statement((db, { agentIds, boot, ends }: { agentIds: readonly string[]; boot: string; ends: number }) =>
  db
    .insertInto('deadlines')
    .columns(['subject', 'id', 'boot', 'ends_ms'])
    .expression((eb) =>
      eb
        .selectFrom('task_status')
        .select([
          sql.lit('task').as('subject'),
          sql<string>`CAST(task_id AS TEXT)`.as('id'),
          eb.val(boot).as('boot'),
          eb.val(ends).as('ends_ms'),
        ])
        .where('assigned_agent_id', 'in', agentIds)
        .where('status', 'in', ['claimed', 'in_progress']),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['subject', 'id'])
        .doUpdateSet((eb) => ({ boot: eb.ref('excluded.boot'), ends_ms: eb.ref('excluded.ends_ms') })),
    ),
)

type Standing = 'none' | 'running' | 'over' | 'other boot'

/** The state of a subject's deadline at this tick. */
export const deadlineOf = async (
  db: Db,
  subject: DeadlineSubject,
  id: string | number,
  tick: Tick,
): Promise<Standing> => {
  const row = await db
    .selectFrom('deadlines')
    .selectAll()
    .where('subject', '=', subject)
    .where('id', '=', String(id))
    .executeTakeFirst()
  if (!row) return 'none'
  if (row.boot !== tick.boot) return 'other boot'
  return row.ends_ms <= tick.ms ? 'over' : 'running'
}

const removeDeadline = async (db: Db, subject: DeadlineSubject, id: string | number): Promise<void> => {
  await db.deleteFrom('deadlines').where('subject', '=', subject).where('id', '=', String(id)).execute()
}

const removeDeadlines = async (db: Db, subject: DeadlineSubject): Promise<void> => {
  await db.deleteFrom('deadlines').where('subject', '=', subject).execute()
}

/**
 * Gives a new term to the agents of these hosts that have no process, and to what agents there hold without one, where less
 * than half of it is left.
 */
export const extendOnHosts = async (db: Db, hosts: readonly string[], tick: Tick, term: number): Promise<void> => {
  if (hosts.length === 0) return
  const list = sql.join(hosts)
  await sql`UPDATE deadlines SET ends_ms = ${tick.ms + term}
    WHERE boot = ${tick.boot} AND ends_ms < ${tick.ms + Math.floor(term / 2)} AND (
      (subject = 'agent' AND id IN (SELECT id FROM agents WHERE process = 'none' AND host_id IN (${list})))
      OR (subject = 'task' AND id IN (
        SELECT CAST(task_status.task_id AS TEXT) FROM task_status JOIN agents ON agents.id = assigned_agent_id
        WHERE task_status.status IN ('claimed', 'in_progress') AND process IN ('none', 'waiting', 'ended')
          AND host_id IN (${list}))))`.execute(db)
}

/** Ids of the subjects whose deadline has passed. */
export const selectOver = async (db: Db, subject: DeadlineSubject, tick: Tick): Promise<readonly string[]> =>
  (
    await db
      .selectFrom('deadlines')
      .select('id')
      .where('subject', '=', subject)
      .where('boot', '=', tick.boot)
      .where('ends_ms', '<=', tick.ms)
      .execute()
  ).map(({ id }) => id)

/**
 * True if no agent and no task has time left: they were all silent at once, or the clock has jumped. One that is alive
 * would have renewed.
 */
export const areAllOver = async (db: Db, tick: Tick): Promise<boolean> =>
  (
    await db
      .selectFrom('deadlines')
      .select('id')
      .where('subject', 'in', ['task', 'agent'])
      .where('boot', '=', tick.boot)
      .where('ends_ms', '>', tick.ms)
      .limit(1)
      .execute()
  ).length === 0

interface Terms {
  /** For leases and heartbeats (ms). */
  readonly lease: number
  /** For requests that wait for a person (ms). */
  readonly request: number
}

/**
 * Gives every subject without a deadline of this boot a whole term from now: after a reboot, in another container, or
 * for rows of an older program. With `all`, every subject: after this process was stopped, others may have been too.
 * Deletes deadlines of ended subjects.
 */
export const adoptDeadlines = async (db: Db, tick: Tick, terms: Terms, { all = false } = {}): Promise<void> => {
  await db
    .deleteFrom('deadlines')
    .where('subject', '=', 'task')
    .where(
      sql<boolean>`CAST(id AS INTEGER) NOT IN (SELECT task_id FROM task_status WHERE status IN ('claimed', 'in_progress'))`,
    )
    .execute()
  await db
    .deleteFrom('deadlines')
    .where('subject', '=', 'request')
    .where(sql<boolean>`CAST(id AS INTEGER) NOT IN (SELECT id FROM requests WHERE status = 'open')`)
    .execute()
  const judged = [
    {
      subject: 'task',
      from: sql`SELECT CAST(task_id AS TEXT) AS id FROM task_status WHERE status IN ('claimed', 'in_progress')`,
      term: terms.lease,
    },
    {
      subject: 'agent',
      from: sql`SELECT id FROM agents WHERE status IN ('active', 'idle') AND process = 'none'`,
      term: terms.lease,
    },
    {
      subject: 'request',
      from: sql`SELECT CAST(id AS TEXT) AS id FROM requests WHERE status = 'open' AND expires_at IS NOT NULL`,
      term: terms.request,
    },
  ]
  for (const { subject, from, term } of judged) {
    const ends = tick.ms + term
    await sql`INSERT INTO deadlines (subject, id, boot, ends_ms) SELECT ${subject}, id, ${tick.boot}, ${ends} FROM (${from}) AS judged WHERE true
      ON CONFLICT (subject, id) DO UPDATE SET boot = excluded.boot, ends_ms = excluded.ends_ms
      WHERE deadlines.boot <> excluded.boot OR (${all ? 1 : 0} = 1 AND deadlines.ends_ms < excluded.ends_ms)`.execute(
      db,
    )
  }
}
