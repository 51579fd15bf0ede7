import type { Db } from './engine/db.ts'

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
