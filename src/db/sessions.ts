import { sql } from 'kysely'
import type { Instant } from '../domain/words/time.ts'
import type { SessionRow } from './schema/schema.ts'
import { type Db, statement } from './engine/db.ts'

export const insertSession = async (
  db: Db,
  row: { id: string; goal: string | null; started_at: string },
): Promise<void> => {
  await db
    .insertInto('sessions')
    .values({ ...row, status: 'running' })
    .execute()
}

export const selectSession = async (db: Db, id: string): Promise<SessionRow | undefined> =>
  db.selectFrom('sessions').where('id', '=', id).selectAll().executeTakeFirst()

export const selectRunningSession = async (db: Db): Promise<SessionRow | undefined> =>
  db.selectFrom('sessions').where('status', '=', sql.lit('running')).selectAll().executeTakeFirst()

export const selectLatestSession = async (db: Db): Promise<SessionRow | undefined> =>
  db.selectFrom('sessions').selectAll().orderBy('started_at', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst()

/** The latest sessions, latest first. */
export const selectSessions = async (db: Db, limit: number): Promise<SessionRow[]> =>
  db.selectFrom('sessions').selectAll().orderBy('started_at', 'desc').orderBy('id', 'desc').limit(limit).execute()

/** The session that ran at an instant. */
export const selectSessionAt = async (db: Db, at: Instant): Promise<SessionRow | undefined> =>
  (await sessionAt(db, { at })).rows[0]

const sessionAt = statement((db, { at }: { at: Instant }) =>
  db
    .selectFrom('sessions')
    .where('started_at', '<=', at)
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>=', at)]))
    .selectAll()
    .orderBy('started_at', 'desc')
    .limit(1),
)

export const changeSession = async (
  db: Db,
  id: string,
  expected: SessionRow['status'],
  change: Partial<Omit<SessionRow, 'id'>>,
): Promise<boolean> =>
  (await db.updateTable('sessions').set(change).where('id', '=', id).where('status', '=', expected).executeTakeFirst())
    .numUpdatedRows === 1n
