import type { IntegrationState } from '../domain/integration/integration.ts'
import type { Instant } from '../domain/words/time.ts'
import type { Db } from './engine/db.ts'
import type { IntegrationRow, VerificationRow } from './schema/worktrees.ts'

export const insertIntegration = async (
  db: Db,
  row: { worktree: string; target: string; approval: 'human' | 'auto'; requested_by: string; requested_at: Instant },
): Promise<number> =>
  (
    await db
      .insertInto('integrations')
      .values({ ...row, status: 'requested' })
      .returning('id')
      .executeTakeFirstOrThrow()
  ).id

export const selectIntegration = async (db: Db, id: number): Promise<IntegrationRow | undefined> =>
  db.selectFrom('integrations').where('id', '=', id).selectAll().executeTakeFirst()

/** The newest integration of a worktree, open or ended. */
export const selectLatestIntegration = async (db: Db, worktree: string): Promise<IntegrationRow | undefined> =>
  db
    .selectFrom('integrations')
    .where('worktree', '=', worktree)
    .selectAll()
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

export const selectIntegrations = async (
  db: Db,
  filter: { statuses?: readonly IntegrationState[]; worktrees?: readonly string[] },
): Promise<readonly IntegrationRow[]> => {
  let query = db.selectFrom('integrations').selectAll()
  if (filter.statuses) query = query.where('status', 'in', [...filter.statuses])
  if (filter.worktrees) query = query.where('worktree', 'in', [...filter.worktrees])
  return query.orderBy('id').execute()
}

/** Compare-and-set on the state. */
export const changeIntegration = async (
  db: Db,
  id: number,
  expected: IntegrationState,
  change: Partial<Omit<IntegrationRow, 'id'>>,
): Promise<boolean> =>
  (
    await db
      .updateTable('integrations')
      .set(change)
      .where('id', '=', id)
      .where('status', '=', expected)
      .executeTakeFirst()
  ).numUpdatedRows === 1n

/** Sets the reason why requested integrations wait; null when they no longer wait. */
export const holdRequested = async (db: Db, problem: string | null): Promise<void> => {
  await db.updateTable('integrations').set({ problem }).where('status', '=', 'requested').execute()
}

/** The integrations of a target that wait for its move or are moving it, in the order of their approval. */
export const selectQueue = async (db: Db, target: string): Promise<readonly IntegrationRow[]> =>
  db
    .selectFrom('integrations')
    .where('target', '=', target)
    .where('status', 'in', ['approved', 'moving'])
    .selectAll()
    .orderBy('approved_at')
    .orderBy('id')
    .execute()

/** True while aiswarm moves a target to this commit, or has moved it without having recorded that. */
export const isMovingTo = async (db: Db, target: string, oid: string): Promise<boolean> =>
  (await db
    .selectFrom('integrations')
    .where('target', '=', target)
    .where('status', '=', 'moving')
    .where('merge_oid', '=', oid)
    .select('id')
    .executeTakeFirst()) !== undefined

/** The moves of a target by merges of aiswarm, newest first, at most so many. */
export const selectLandings = async (
  db: Db,
  target: string,
  limit: number,
): Promise<readonly { readonly from: string; readonly to: string }[]> =>
  db
    .selectFrom('integrations')
    .where('target', '=', target)
    .where('status', '=', 'integrated')
    .whereRef('target_oid', '!=', 'merge_oid')
    .select(['target_oid as from', 'merge_oid as to'])
    .$narrowType<{ from: string; to: string }>()
    .orderBy('ended_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** The last completed integration, of any target or of one worktree. */
export const selectLastLanded = async (db: Db, worktree?: string): Promise<IntegrationRow | undefined> => {
  let query = db.selectFrom('integrations').where('status', '=', 'integrated').selectAll()
  if (worktree !== undefined) query = query.where('worktree', '=', worktree)
  return query.orderBy('ended_at', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst()
}

/** The last completed integration of each target. */
export const selectLandedTargets = async (db: Db): Promise<readonly { target: string; id: number }[]> =>
  db
    .selectFrom('integrations')
    .where('status', '=', 'integrated')
    .groupBy('target')
    .select(({ fn }) => ['target', fn.max('id').as('id')])
    .orderBy('target')
    .execute()

/** The integrations that are not merged, of worktrees that are not gone. */
export const selectReviewable = async (db: Db): Promise<readonly number[]> =>
  (
    await db
      .selectFrom('integrations')
      .innerJoin('worktrees', 'worktrees.name', 'integrations.worktree')
      .where('integrations.status', '!=', 'integrated')
      .where('worktrees.folder', '!=', 'gone')
      .select('integrations.id')
      .orderBy('integrations.id')
      .execute()
  ).map(({ id }) => id)

export interface LandedMerge {
  readonly worktree: string
  readonly target: string
  readonly mergeOid: string
}

/** The merges that have reached a target since a person last moved it, or accepted a move, which may have left out earlier ones. */
export const selectLandedMerges = async (db: Db): Promise<readonly LandedMerge[]> => {
  const landed = await db
    .selectFrom('integrations')
    .where('status', '=', 'integrated')
    .where('merge_oid', 'is not', null)
    .select(['worktree', 'target', 'merge_oid', 'ended_at'])
    .orderBy('id')
    .execute()
  const movedAt = await selectMovesOfPersons(db)
  return landed.flatMap(({ worktree, target, merge_oid: mergeOid, ended_at }) =>
    mergeOid === null || (ended_at ?? '') <= (movedAt.get(target) ?? '') ? [] : [{ worktree, target, mergeOid }],
  )
}

/** When a person last decided where each target is, by the events of moves. */
const selectMovesOfPersons = async (db: Db): Promise<ReadonlyMap<string, Instant>> => {
  const moves = await db
    .selectFrom('events')
    .where('operation', 'in', ['accept_target', 'record_target'])
    .orderBy('id')
    .select(['at', 'operation', 'details'])
    .execute()
  return new Map(
    moves.flatMap(({ at, operation, details }) => {
      const { target, recorded } = JSON.parse(details ?? '{}') as {
        readonly target?: string
        readonly recorded?: string
      }
      return target !== undefined && (operation === 'accept_target' || recorded === 'person') ? [[target, at]] : []
    }),
  )
}

export const insertVerification = async (
  db: Db,
  row: Pick<VerificationRow, 'commit_oid' | 'integrations' | 'command' | 'log' | 'started_at'>,
): Promise<number> => (await db.insertInto('verifications').values(row).returning('id').executeTakeFirstOrThrow()).id

export const endVerification = async (
  db: Db,
  id: number,
  end: { ended_at: Instant; exit_code: number | null },
): Promise<void> => {
  await db.updateTable('verifications').set(end).where('id', '=', id).execute()
}

/** The integration that a worktree was created to undo. */
export const selectReverted = async (db: Db, worktree: string): Promise<number | undefined> =>
  (await db.selectFrom('worktree_reverts').where('worktree', '=', worktree).select('integration_id').executeTakeFirst())
    ?.integration_id

export const insertRevert = async (db: Db, row: { worktree: string; integration_id: number }): Promise<void> => {
  await db.insertInto('worktree_reverts').values(row).execute()
}

/** Worktrees created to undo this integration, newest first. */
export const selectRevertsOf = async (db: Db, integrationId: number): Promise<readonly string[]> =>
  (
    await db.selectFrom('worktree_reverts').where('integration_id', '=', integrationId).select('worktree').execute()
  ).map(({ worktree }) => worktree)
