import { type Insertable, sql } from 'kysely'
import { LOCAL } from '../domain/host/host.ts'
import type { Instant } from '../domain/words/time.ts'
import type { PortPurpose } from '../domain/worktree/worktree.ts'
import type { Db } from './engine/db.ts'
import type {
  ArchiveRow,
  ArchivesTable,
  NewWorktree,
  PortRow,
  WorktreePortsTable,
  WorktreeRow,
} from './schema/worktrees.ts'

// Worktrees, with their folders, ports and archives.

export const insertWorktree = async (db: Db, worktree: NewWorktree): Promise<void> => {
  await db.insertInto('worktrees').values(worktree).execute()
}

export const selectWorktree = async (db: Db, name: string): Promise<WorktreeRow | undefined> =>
  db.selectFrom('worktrees').where('name', '=', name).selectAll().executeTakeFirst()

export const selectWorktrees = async (
  db: Db,
  filter: { folders?: readonly WorktreeRow['folder'][] } = {},
): Promise<readonly WorktreeRow[]> => {
  let query = db.selectFrom('worktrees').selectAll()
  if (filter.folders) query = query.where('folder', 'in', [...filter.folders])
  return query.orderBy('created_at').orderBy('name').execute()
}

/** The host of each of these worktrees. */
export const selectHostsOf = async (db: Db, names: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  if (names.length === 0) return new Map()
  const rows = await db
    .selectFrom('worktrees')
    .where('name', 'in', [...names])
    .select(['name', 'host_id'])
    .execute()
  return new Map(rows.map(({ name, host_id }) => [name, host_id]))
}

/** The row of each of these worktrees, as far as it tells where work in it can go on. */
export const selectWhereabouts = async (
  db: Db,
  names: readonly string[],
): Promise<ReadonlyMap<string, Pick<WorktreeRow, 'host_id' | 'folder' | 'move_to' | 'not_continued'>>> => {
  if (names.length === 0) return new Map()
  const rows = await db
    .selectFrom('worktrees')
    .where('name', 'in', [...names])
    .select(['name', 'host_id', 'folder', 'move_to', 'not_continued'])
    .execute()
  return new Map(rows.map(({ name, ...row }) => [name, row]))
}

/** The host where a worktree lies; without one, the host of the main checkout. */
export const hostOfWorktree = async (db: Db, name: string | null): Promise<string> =>
  (name === null ? undefined : (await selectHostsOf(db, [name])).get(name)) ?? LOCAL

/** Compare-and-set on the state of the folder. */
export const changeWorktree = async (
  db: Db,
  name: string,
  expected: { folder: WorktreeRow['folder'] },
  change: Partial<Omit<WorktreeRow, 'name'>>,
): Promise<boolean> =>
  (
    await db
      .updateTable('worktrees')
      .set(change)
      .where('name', '=', name)
      .where('folder', '=', expected.folder)
      .executeTakeFirst()
  ).numUpdatedRows === 1n

/** Deletes the row of a worktree that was never built. */
export const deleteUnbuiltWorktree = async (db: Db, name: string): Promise<boolean> =>
  (await db.deleteFrom('worktrees').where('name', '=', name).where('folder', '=', 'building').executeTakeFirst())
    .numDeletedRows === 1n

export const rememberFolder = async (db: Db, worktree: string, inode: string): Promise<void> => {
  await db
    .insertInto('worktree_folders')
    .values({ worktree, inode })
    .onConflict((conflict) => conflict.column('worktree').doUpdateSet({ inode }))
    .execute()
}

/** The inode of the folder that was built; undefined for one of an older aiswarm. */
export const selectFolderInode = async (db: Db, worktree: string): Promise<string | undefined> =>
  (await db.selectFrom('worktree_folders').where('worktree', '=', worktree).select('inode').executeTakeFirst())?.inode

/** The ports of all worktrees whose folder exists or is still requested. */
export const selectPorts = async (
  db: Db,
  filter: { worktrees?: readonly string[]; purpose?: PortPurpose; host?: string } = {},
): Promise<readonly PortRow[]> => {
  let query = db
    .selectFrom('worktree_ports')
    .innerJoin('worktrees', 'worktrees.name', 'worktree_ports.worktree')
    .where('worktrees.folder', '<>', sql.lit('gone'))
  if (filter.worktrees) query = query.where('worktree', 'in', [...filter.worktrees])
  if (filter.host !== undefined) query = query.where('worktree_ports.host_id', '=', filter.host)
  if (filter.purpose) query = query.where('purpose', '=', filter.purpose)
  return query
    .select(['worktree_ports.host_id', 'port', 'worktree', 'purpose', 'served', 'leased_at'])
    .orderBy('port')
    .execute()
}

/** Replaces the port of the worktree by this one; false if another worktree of the host has it. */
export const replacePort = async (db: Db, lease: Insertable<WorktreePortsTable>): Promise<boolean> => {
  await deletePort(db, lease.worktree, lease.purpose)
  // A worktree without a folder releases its port, however the folder was lost.
  await db
    .deleteFrom('worktree_ports')
    .where('worktree', 'in', db.selectFrom('worktrees').where('folder', '=', 'gone').select('name'))
    .execute()
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('worktree_ports')
    .values(lease)
    .onConflict((conflict) => conflict.columns(['host_id', 'port']).doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) === 1n
}

export const deletePort = async (db: Db, worktree: string, purpose: PortPurpose): Promise<void> => {
  await db.deleteFrom('worktree_ports').where('worktree', '=', worktree).where('purpose', '=', purpose).execute()
}

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
