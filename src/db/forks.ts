import type { Db } from './engine/db.ts'
import type { ForkRow } from './schema/races.ts'

export const insertFork = async (db: Db, fork: ForkRow): Promise<void> => {
  await db.insertInto('forks').values(fork).execute()
}

export const selectFork = async (db: Db, taskId: number): Promise<ForkRow | undefined> =>
  db.selectFrom('forks').where('task_id', '=', taskId).selectAll().executeTakeFirst()
