import type { Db } from './engine/db.ts'
import type { ProgressTurnsTable } from './schema/runs.ts'

/** Records a turn of a progress file; false if it is already known. */
export const insertTurn = async (db: Db, row: ProgressTurnsTable): Promise<boolean> =>
  (
    await db
      .insertInto('progress_turns')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
  ).numInsertedOrUpdatedRows === 1n
