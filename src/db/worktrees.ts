import type { NewWorktree, WorktreeRow } from './schema.ts'
import type { Db } from './sqlite.ts'

export const insertWorktree = async (db: Db, worktree: NewWorktree): Promise<void> => {
  await db.insertInto('worktrees').values(worktree).execute()
}

export const selectWorktree = async (db: Db, name: string): Promise<WorktreeRow | undefined> => db.selectFrom('worktrees').where('name', '=', name).selectAll().executeTakeFirst()

export const selectWorktrees = async (db: Db, filter: { folders?: readonly WorktreeRow['folder'][] } = {}): Promise<readonly WorktreeRow[]> => {
  let query = db.selectFrom('worktrees').selectAll()
  if (filter.folders) query = query.where('folder', 'in', [...filter.folders])
  return query.orderBy('created_at').orderBy('name').execute()
}

/** Compare-and-set on what the folder waits for. */
export const changeWorktree = async (db: Db, name: string, expected: { folder: WorktreeRow['folder'] }, change: Partial<Omit<WorktreeRow, 'name'>>): Promise<boolean> =>
  (await db.updateTable('worktrees').set(change).where('name', '=', name).where('folder', '=', expected.folder).executeTakeFirst()).numUpdatedRows === 1n

/** A worktree that was never built leaves no row (DESIGN section 6). */
export const deleteUnbuiltWorktree = async (db: Db, name: string): Promise<boolean> =>
  (await db.deleteFrom('worktrees').where('name', '=', name).where('folder', '=', 'building').executeTakeFirst()).numDeletedRows === 1n

/** Where these worktrees lie. */
export const selectWorktreePaths = async (db: Db, names: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  if (names.length === 0) return new Map()
  const rows = await db.selectFrom('worktrees').where('name', 'in', names).select(['name', 'path']).execute()
  return new Map(rows.map(({ name, path }) => [name, path]))
}
