import type { Insertable } from 'kysely'
import type { Instant } from '../domain/words/time.ts'
import type { Db } from './engine/db.ts'
import type { ArchiveRow, ArchivesTable } from './schema/worktrees.ts'

/** An archive that is recorded again, after a crash or from its ref, keeps its later columns. */
export const insertArchive = async (
  db: Db,
  archive: Omit<Insertable<ArchivesTable>, 'swept_at' | 'restore_wanted_at' | 'restore_branch' | 'restored_at'>,
): Promise<void> => {
  await db
    .insertInto('archives')
    .values(archive)
    .onConflict((conflict) =>
      conflict.column('ref').doUpdateSet({ tar: archive.tar ?? null, trash_path: archive.trash_path ?? null }),
    )
    .execute()
}

/** The newest archive of a worktree. */
export const selectLatestArchive = async (db: Db, worktree: string): Promise<ArchiveRow | undefined> =>
  db
    .selectFrom('archives')
    .where('worktree', '=', worktree)
    .selectAll()
    .orderBy('made_at', 'desc')
    .orderBy('ref', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Archives whose worktree will be restored, with its path and branch. */
export const selectRestoring = async (
  db: Db,
): Promise<readonly (ArchiveRow & { branch_name: string; path: string })[]> =>
  db
    .selectFrom('archives')
    .innerJoin('worktrees', 'worktrees.name', 'archives.worktree')
    .where('restore_wanted_at', 'is not', null)
    .selectAll('archives')
    .select((eb) => [
      eb.fn.coalesce('archives.restore_branch', 'worktrees.branch_name').as('branch_name'),
      'worktrees.path',
    ])
    .orderBy('restore_wanted_at')
    .execute()

/** Archives whose folder is in the trash. */
export const selectUnswept = async (db: Db): Promise<readonly ArchiveRow[]> =>
  db
    .selectFrom('archives')
    .where('trash_path', 'is not', null)
    .where('swept_at', 'is', null)
    .selectAll()
    .orderBy('made_at')
    .execute()

/** Compare-and-set on an archive: the columns of `expected` must still have these values. */
export const changeArchive = async (
  db: Db,
  ref: string,
  expected: Partial<Pick<ArchiveRow, 'restore_wanted_at' | 'swept_at'>>,
  change: Partial<Omit<ArchiveRow, 'ref' | 'worktree'>>,
): Promise<boolean> => {
  let update = db.updateTable('archives').set(change).where('ref', '=', ref)
  for (const [column, value] of Object.entries(expected) as [keyof typeof expected, Instant | null][])
    update = value === null ? update.where(column, 'is', null) : update.where(column, '=', value)
  return (await update.executeTakeFirst()).numUpdatedRows === 1n
}
