import type { Instant } from '../domain/words/time.ts'
import type { VerificationRow } from './schema/integrations.ts'
import type { Db } from './engine/db.ts'

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
