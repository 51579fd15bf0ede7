import type { Instant } from '../domain/words/time.ts'
import type { Db } from './engine/db.ts'

export const insertHostCall = async (
  db: Db,
  call: { readonly host_id: string; readonly verb: string; readonly input: string; readonly expires_at: Instant },
): Promise<number> => (await db.insertInto('host_calls').values(call).returning('id').executeTakeFirstOrThrow()).id

/** The calls that wait for a host. */
export const selectHostCalls = (db: Db, host: string, now: Instant) =>
  db
    .selectFrom('host_calls')
    .where('host_id', '=', host)
    .where('answer', 'is', null)
    .where('problem', 'is', null)
    .where('expires_at', '>', now)
    .select(['id', 'verb', 'input'])
    .orderBy('id')
    .execute()

export const selectHostCall = (db: Db, id: number) =>
  db.selectFrom('host_calls').where('id', '=', id).selectAll().executeTakeFirst()

/** False if it was answered before, or has expired. */
export const answerHostCall = async (
  db: Db,
  id: number,
  host: string,
  answer: { readonly answer: string | null; readonly problem: string | null },
): Promise<boolean> =>
  (
    await db
      .updateTable('host_calls')
      .set(answer)
      .where('id', '=', id)
      .where('host_id', '=', host)
      .where('answer', 'is', null)
      .where('problem', 'is', null)
      .executeTakeFirst()
  ).numUpdatedRows === 1n

/** Deletes one call, and those that have expired. */
export const deleteHostCalls = async (db: Db, id: number | null, now: Instant): Promise<void> => {
  await db
    .deleteFrom('host_calls')
    .where((eb) => eb.or([eb('expires_at', '<=', now), ...(id === null ? [] : [eb('id', '=', id)])]))
    .execute()
}

export const saveRunTail = async (
  db: Db,
  tail: {
    readonly agent_id: string
    readonly content: string
    readonly size: number
    readonly written_at: Instant
  },
): Promise<void> => {
  const { agent_id, ...rest } = tail
  await db
    .insertInto('run_tails')
    .values({ agent_id, ...rest })
    .onConflict((conflict) => conflict.column('agent_id').doUpdateSet(rest))
    .execute()
}

export const selectRunTail = (db: Db, agentId: string) =>
  db.selectFrom('run_tails').where('agent_id', '=', agentId).selectAll().executeTakeFirst()
