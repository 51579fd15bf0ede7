import type { Insertable } from 'kysely'
import type { Db } from './engine/sqlite.ts'
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

export const changeArchive = async (
  db: Db,
  ref: string,
  change: Partial<Omit<ArchiveRow, 'ref' | 'worktree'>>,
): Promise<boolean> =>
  (await db.updateTable('archives').set(change).where('ref', '=', ref).executeTakeFirst()).numUpdatedRows === 1n
