import type { Insertable } from 'kysely'
import type { Instant } from '../domain/words/time.ts'
import type { Db } from './engine/db.ts'
import type { SightsTable } from './schema/hosts.ts'

export const saveSight = async (db: Db, sight: Insertable<SightsTable>): Promise<void> => {
  const { host_id, subject, ...rest } = sight
  await db
    .insertInto('sights')
    .values({ host_id, subject, ...rest })
    .onConflict((conflict) => conflict.columns(['host_id', 'subject']).doUpdateSet(rest))
    .execute()
}

/** The sights of the other hosts since then. */
export const selectSights = (
  db: Db,
  {
    subject,
    besides,
    since,
  }: { readonly subject: SightsTable['subject']; readonly besides: string; readonly since: Instant },
) =>
  db
    .selectFrom('sights')
    .where('subject', '=', subject)
    .where('host_id', '<>', besides)
    .where('seen_at', '>=', since)
    .select(['host_id', 'content'])
    .orderBy('host_id')
    .execute()
