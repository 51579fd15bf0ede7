import { sql } from 'kysely'
import type { HostState } from '../domain/host/host.ts'
import type { RefPlace } from '../domain/host/remote.ts'
import type { Instant } from '../domain/words/time.ts'
import type { HostJoinRow, HostRow, NewHost } from './schema/hosts.ts'
import type { Db } from './engine/db.ts'

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

export interface Fleet {
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
