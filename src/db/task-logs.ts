import { sql } from 'kysely'
import { type Db, statement } from './engine/db.ts'
import { containing } from './engine/expressions.ts'
import type { NewTaskLog, ProgressTurnsTable, TaskLogRow } from './schema/tasks.ts'

export const insertTaskLog = async (db: Db, log: NewTaskLog): Promise<void> => {
  await db.insertInto('task_logs').values(log).execute()
}

interface TaskLogFilter {
  readonly taskId?: number
  readonly agentId?: string
  /** Only rows after this id, for a follower. */
  readonly afterId?: number
  /** The newest so many, oldest first. */
  readonly last?: number
}

export const selectTaskLogs = async (db: Db, filter: TaskLogFilter): Promise<readonly TaskLogRow[]> => {
  const { rows } = await logsThat(db, filter)
  return filter.last === undefined ? rows : rows.reverse()
}

/** The newest so many notes of each task, oldest first. */
export const selectNewestLogs = async (
  db: Db,
  taskIds: readonly number[],
  each: number,
): Promise<ReadonlyMap<number, readonly TaskLogRow[]>> => {
  const logs = new Map<number, readonly TaskLogRow[]>()
  for (let at = 0; at < taskIds.length; at += IN_ONE_LOOK)
    for (const [id, rows] of await newestOf(db, taskIds.slice(at, at + IN_ONE_LOOK), each)) logs.set(id, rows)
  return logs
}

/** A statement of SQLite has no more than 32,766 values. */
const IN_ONE_LOOK = 5000

const newestOf = async (db: Db, taskIds: readonly number[], each: number): Promise<Map<number, TaskLogRow[]>> => {
  const rows = await db
    .with('numbered', (of) =>
      of
        .selectFrom('task_logs')
        .select('id')
        .select((eb) =>
          eb.fn
            .agg<number>('row_number')
            .over((over) => over.partitionBy('task_id').orderBy('id', 'desc'))
            .as('age'),
        )
        .where('task_id', 'in', taskIds),
    )
    .selectFrom('task_logs')
    .innerJoin('numbered', 'numbered.id', 'task_logs.id')
    .where('numbered.age', '<=', each)
    .selectAll('task_logs')
    .orderBy('task_logs.id')
    .execute()
  return Map.groupBy(rows, ({ task_id }) => task_id)
}

const logsThat = statement((db, { taskId, agentId, afterId, last }: TaskLogFilter) => {
  let query = db.selectFrom('task_logs').selectAll()
  if (taskId !== undefined) query = query.where('task_id', '=', taskId)
  if (agentId !== undefined) query = query.where('agent_id', '=', agentId)
  if (afterId !== undefined) query = query.where('id', '>', afterId)
  return last === undefined ? query.orderBy('id') : query.orderBy('id', 'desc').limit(last)
})

/** The newest notes, among the newest `among` of all, that contain every word, ignoring case. */
export const searchTaskLogs = async (
  db: Db,
  words: readonly string[],
  { among, limit }: { readonly among: number; readonly limit: number },
): Promise<readonly TaskLogRow[]> =>
  (
    await sql<TaskLogRow>`
      select * from task_logs
      where id > (select coalesce(max(id), 0) - ${among} from task_logs) and ${sql.join(
        words.map((word) => containing(sql.ref('message'), word)),
        sql` and `,
      )}
      order by id desc limit ${limit}`.execute(db)
  ).rows

/** The number of the newest note; 0 if there is none. */
export const lastTaskLog = async (db: Db): Promise<number> =>
  (await sql<{ last: number }>`select coalesce(max(id), 0) as last from task_logs`.execute(db)).rows[0]!.last

/** Records a turn of a progress file; false if it is already known. */
export const insertTurn = async (db: Db, row: ProgressTurnsTable): Promise<boolean> =>
  (
    await db
      .insertInto('progress_turns')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
  ).numInsertedOrUpdatedRows === 1n
