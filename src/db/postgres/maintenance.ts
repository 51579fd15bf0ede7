import { sql } from 'kysely'
import type { Db } from '../engine/db.ts'
import type { Maintenance } from '../engine/store.ts'
import { findBrokenSeals } from '../event-chain.ts'
import { findBrokenInvariants } from '../invariants.ts'
import { statesOf } from './migrate.ts'
import { explain } from './explain.ts'
import type { Session } from './server.ts'
import type { Board } from './transaction.ts'

interface Maintained {
  readonly board: Board
  /** The folder of the migration scripts. */
  readonly migrations: string
  readonly read: Db
  readonly backup: Maintenance['backup']
}

/** Work on a board of PostgreSQL as a whole. */
export const maintenanceOf = ({ board, migrations, read, backup }: Maintained): Maintenance => ({
  status: () =>
    withSession(board, async (session) => {
      const { rows } = await session.query<{ tables: number }>(
        "SELECT count(*) AS tables FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'",
        [],
      )
      return {
        journalMode: 'server',
        tables: rows[0]!.tables,
        migrations: await statesOf(session, { schema: board.schema, folder: migrations }),
      }
    }),
  check: async () => ({
    damaged: false,
    findings: [...(await findBrokenSeals(read)), ...(await findBrokenInvariants(read))],
  }),
  backup,
  leave: async (other, db) => {
    await sql`UPDATE board SET moved_to = ${other}, moved_at = board_now()`.execute(db)
  },
})

const withSession = async <T>({ server, place }: Board, work: (session: Session) => Promise<T>): Promise<T> => {
  const session = await server.connect().catch((error: unknown) => {
    throw explain(error, place)
  })
  let broken = true
  try {
    const result = await work(session)
    broken = false
    return result
  } catch (error) {
    throw explain(error, place)
  } finally {
    session.release(broken)
  }
}
