import type { Instant } from '../domain/time.ts'
import type { Db } from './sqlite.ts'

// Kinds of agents that are not started before their quota is there again.

export type KindSleep = Awaited<ReturnType<typeof selectSleeps>>[number]

export const selectSleeps = (db: Db, now: Instant) => db.selectFrom('kind_sleeps').where('until', '>', now).selectAll().orderBy('kind').execute()

export const setSleep = async (db: Db, { kind, ...sleep }: { kind: string; until: Instant; since: Instant; agent_id: string; why: string }): Promise<void> => {
  await db
    .insertInto('kind_sleeps')
    .values({ kind, ...sleep })
    .onConflict((conflict) => conflict.column('kind').doUpdateSet(sleep))
    .execute()
}

export const endSleep = async (db: Db, kind: string): Promise<void> => {
  await db.deleteFrom('kind_sleeps').where('kind', '=', kind).execute()
}

/** When the next of them wakes. */
export const selectNextWaking = async (db: Db, now: Instant): Promise<Instant | null> =>
  (await db.selectFrom('kind_sleeps').where('until', '>', now).select('until').orderBy('until').limit(1).executeTakeFirst())?.until ?? null
