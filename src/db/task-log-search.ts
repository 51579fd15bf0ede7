import { sql } from 'kysely'
import { containing } from './engine/words.ts'
import type { TaskLogRow } from './schema/tasks.ts'
import type { Db } from './engine/db.ts'

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
