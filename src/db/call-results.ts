import type { Instant } from '../domain/words/time.ts'
import type { Db } from './engine/db.ts'

/** The answer to a call with a request id. */
export const selectCallResult = async (
  db: Db,
  actor: string,
  requestId: string,
): Promise<{ operation: string; input_hash: string; result: string } | undefined> =>
  db
    .selectFrom('call_results')
    .where('actor', '=', actor)
    .where('request_id', '=', requestId)
    .select(['operation', 'input_hash', 'result'])
    .executeTakeFirst()

export const insertCallResult = async (
  db: Db,
  row: { actor: string; request_id: string; operation: string; input_hash: string; result: string; at: Instant },
): Promise<void> => {
  await db.insertInto('call_results').values(row).execute()
}

/** A call is not repeated after a day. */
export const deleteCallResultsBefore = async (db: Db, at: Instant): Promise<void> => {
  await db.deleteFrom('call_results').where('at', '<', at).execute()
}
