import { LOCAL } from '../domain/host/host.ts'
import type { NewWorktree, WorktreeRow } from './schema/worktrees.ts'
import type { Db } from './engine/db.ts'

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
