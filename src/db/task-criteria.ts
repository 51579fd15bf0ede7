import type { Db } from './engine/db.ts'
import { statement } from './engine/statement.ts'

export const insertCriteria = async (db: Db, taskId: number, criteria: readonly string[]): Promise<void> => {
  if (criteria.length === 0) return
  await db
    .insertInto('task_criteria')
    .values(criteria.map((text, position) => ({ task_id: taskId, position, text, met: 0 })))
    .execute()
}

/** Replaces all criteria of a task; one with the same text stays met. */
export const replaceCriteria = async (db: Db, taskId: number, criteria: readonly string[]): Promise<void> => {
  const met = (await selectCriteria(db, [taskId])).filter((row) => row.met === 1).map((row) => row.text)
  await db.deleteFrom('task_criteria').where('task_id', '=', taskId).execute()
  await insertCriteria(db, taskId, criteria)
  await markCriteria(
    db,
    taskId,
    met.map((text) => ({ text, met: true })),
  )
}

/** Marks criteria as met or not met by their text; others keep their state. */
export const markCriteria = async (
  db: Db,
  taskId: number,
  criteria: readonly { readonly text: string; readonly met: boolean }[],
): Promise<void> => {
  for (const { text, met } of criteria) {
    await db
      .updateTable('task_criteria')
      .set({ met: met ? 1 : 0 })
      .where('task_id', '=', taskId)
      .where('text', '=', text)
      .execute()
  }
}

export const selectCriteria = async (
  db: Db,
  ids: readonly number[],
): Promise<readonly { task_id: number; text: string; met: number }[]> => {
  if (ids.length === 0) return []
  return (await criteriaOf(db, { ids })).rows
}

const criteriaOf = statement((db, { ids }: { ids: readonly number[] }) =>
  db
    .selectFrom('task_criteria')
    .where('task_id', 'in', ids)
    .select(['task_id', 'text', 'met'])
    .orderBy('task_id')
    .orderBy('position'),
)
