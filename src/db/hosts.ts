import { type Insertable, sql } from 'kysely'
import type { HostState } from '../domain/host/host.ts'
import type { RefPlace } from '../domain/host/remote.ts'
import type { Instant } from '../domain/words/time.ts'
import type { Db } from './engine/db.ts'
import type { HostJoinRow, HostReturnRow, HostRow, NewHost, SightsTable } from './schema/hosts.ts'

// The hosts of the fleet, with the calls to them, what they observe, and the worktrees with which they came back.

/** The hosts of the board that have not left, the first one first. */
export const selectHosts = (db: Db): Promise<readonly HostRow[]> =>
  db
    .selectFrom('hosts')
    .where('state', '<>', sql.lit('gone'))
    .selectAll()
    .orderBy((eb) => eb.fn.coalesce('joined_at', eb.val('')))
    .orderBy('id')
    .execute()

export const selectHost = (db: Db, id: string): Promise<HostRow | undefined> =>
  db.selectFrom('hosts').where('id', '=', id).selectAll().executeTakeFirst()

/** Compare-and-set on the state of a host. */
export const changeHost = async (
  db: Db,
  id: string,
  expected: { readonly states: readonly HostState[] },
  change: Partial<Omit<HostRow, 'id'>>,
): Promise<boolean> =>
  (
    await db
      .updateTable('hosts')
      .set(change)
      .where('id', '=', id)
      .where('state', 'in', [...expected.states])
      .executeTakeFirst()
  ).numUpdatedRows === 1n

/** Counts a heartbeat of a host; returns how many there were. */
export const beat = async (db: Db, id: string): Promise<number> =>
  (
    await db
      .updateTable('hosts')
      .set((eb) => ({ beat_seq: eb('beat_seq', '+', 1) }))
      .where('id', '=', id)
      .returning('beat_seq')
      .executeTakeFirstOrThrow()
  ).beat_seq

export const insertHost = async (db: Db, host: NewHost): Promise<void> => {
  await db.insertInto('hosts').values(host).execute()
}

/** The number of processes on each host that run or are about to. */
export const countRunning = async (db: Db): Promise<ReadonlyMap<string, number>> => {
  const rows = await db
    .selectFrom('agents')
    .where('process', 'in', ['wanted', 'started'])
    .groupBy('host_id')
    .select(({ fn }) => ['host_id', fn.countAll<number>().as('n')])
    .execute()
  return new Map(rows.map(({ host_id, n }) => [host_id, n]))
}

/** The number of live worktrees on each host. */
export const countWorktrees = async (db: Db): Promise<ReadonlyMap<string, number>> => {
  const rows = await db
    .selectFrom('worktrees')
    .where('folder', '<>', sql.lit('gone'))
    .groupBy('host_id')
    .select(({ fn }) => ['host_id', fn.countAll<number>().as('n')])
    .execute()
  return new Map(rows.map(({ host_id, n }) => [host_id, n]))
}

export const insertJoin = async (
  db: Db,
  join: {
    readonly code_hash: string
    readonly labels: string
    readonly made_at: Instant
    readonly expires_at: Instant
  },
): Promise<void> => {
  await db
    .insertInto('host_joins')
    .values({ ...join, used_by: null })
    .execute()
}

export const selectJoin = async (db: Db, codeHash: string): Promise<HostJoinRow | undefined> =>
  db.selectFrom('host_joins').where('code_hash', '=', codeHash).selectAll().executeTakeFirst()

/** Uses a code for a host; false if it was used before. */
export const useJoin = async (db: Db, codeHash: string, host: string): Promise<boolean> =>
  (
    await db
      .updateTable('host_joins')
      .set({ used_by: host })
      .where('code_hash', '=', codeHash)
      .where('used_by', 'is', null)
      .executeTakeFirst()
  ).numUpdatedRows === 1n

/** Deletes the codes that no host has used; returns how many of them could still be used. */
export const revokeJoins = async (db: Db, now: Instant): Promise<number> => {
  const rows = await db.deleteFrom('host_joins').where('used_by', 'is', null).returning('expires_at').execute()
  return rows.filter(({ expires_at: at }) => at > now).length
}

interface Fleet {
  /** The git remote of the board; null if a person has given none. */
  readonly remote: string | null
  /** Where the remote takes the refs of aiswarm. */
  readonly remote_refs: RefPlace
  readonly generation: number
  /** True if a person allows that uncommitted files are pushed there. */
  readonly snapshots: boolean
}

/** The remote, the generation and the decisions that all hosts of the board share. */
export const selectFleet = async (db: Db): Promise<Fleet> => {
  const row = await db.selectFrom('fleet').selectAll().executeTakeFirst()
  return {
    remote: row?.remote ?? null,
    remote_refs: row?.remote_refs ?? 'own',
    generation: row?.generation ?? 1,
    snapshots: row?.snapshots === 1,
  }
}

export const saveFleet = async (db: Db, change: Partial<Fleet>): Promise<void> => {
  const { snapshots, ...rest } = change
  const row = { ...rest, ...(snapshots === undefined ? {} : { snapshots: snapshots ? (1 as const) : (0 as const) }) }
  await db
    .insertInto('fleet')
    .values({ id: 1, remote: null, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
}

export const insertHostCall = async (
  db: Db,
  call: { readonly host_id: string; readonly verb: string; readonly input: string; readonly expires_at: Instant },
): Promise<number> => (await db.insertInto('host_calls').values(call).returning('id').executeTakeFirstOrThrow()).id

/** The calls that wait for a host. */
export const selectHostCalls = (db: Db, host: string, now: Instant) =>
  db
    .selectFrom('host_calls')
    .where('host_id', '=', host)
    .where('answer', 'is', null)
    .where('problem', 'is', null)
    .where('expires_at', '>', now)
    .select(['id', 'verb', 'input'])
    .orderBy('id')
    .execute()

export const selectHostCall = (db: Db, id: number) =>
  db.selectFrom('host_calls').where('id', '=', id).selectAll().executeTakeFirst()

/** False if it was answered before, or has expired. */
export const answerHostCall = async (
  db: Db,
  id: number,
  host: string,
  answer: { readonly answer: string | null; readonly problem: string | null },
): Promise<boolean> =>
  (
    await db
      .updateTable('host_calls')
      .set(answer)
      .where('id', '=', id)
      .where('host_id', '=', host)
      .where('answer', 'is', null)
      .where('problem', 'is', null)
      .executeTakeFirst()
  ).numUpdatedRows === 1n

/** Deletes one call, and those that have expired. */
export const deleteHostCalls = async (db: Db, id: number | null, now: Instant): Promise<void> => {
  await db
    .deleteFrom('host_calls')
    .where((eb) => eb.or([eb('expires_at', '<=', now), ...(id === null ? [] : [eb('id', '=', id)])]))
    .execute()
}

export const saveSight = async (db: Db, sight: Insertable<SightsTable>): Promise<void> => {
  const { host_id, subject, ...rest } = sight
  await db
    .insertInto('sights')
    .values({ host_id, subject, ...rest })
    .onConflict((conflict) => conflict.columns(['host_id', 'subject']).doUpdateSet(rest))
    .execute()
}

/** The sights of the other hosts since then. */
export const selectSights = (
  db: Db,
  {
    subject,
    besides,
    since,
  }: { readonly subject: SightsTable['subject']; readonly besides: string; readonly since: Instant },
) =>
  db
    .selectFrom('sights')
    .where('subject', '=', subject)
    .where('host_id', '<>', besides)
    .where('seen_at', '>=', since)
    .select(['host_id', 'content'])
    .orderBy('host_id')
    .execute()

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
