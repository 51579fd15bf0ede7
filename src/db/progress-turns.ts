import type { Db } from './sqlite.ts'

export interface ProgressTurnsTable {
  task_id: number
  attempt: number
  hash: string
}

/** Remembers a turn of a progress file; false where it is known already. */
export const insertTurn = async (db: Db, row: ProgressTurnsTable): Promise<boolean> =>
  (
    await db
      .insertInto('progress_turns')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
  ).numInsertedOrUpdatedRows === 1n
