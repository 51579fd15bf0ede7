import { writeFileSync } from 'node:fs'
import type { Db } from '../engine/db.ts'
import { type Connection, journalMode, tableNames } from '../engine/sqlite.ts'
import type { Maintenance } from '../engine/store.ts'
import { findBrokenInvariants } from '../invariants.ts'
import { backupTo } from './backup.ts'
import { MOVED } from './connections.ts'
import { checkDamage, checkSeals } from './damage.ts'
import { migrationStatus } from './migrate.ts'

interface Maintained {
  readonly path: string
  /** The folder of the migration scripts. */
  readonly migrations: string
  readonly read: Db
  readonly connection: () => Connection
}

/** Work on a database file as a whole. */
export const maintenanceOf = ({ path, migrations, read, connection }: Maintained): Maintenance => ({
  status: async () => ({
    journalMode: journalMode(connection()),
    tables: tableNames(connection()).length,
    migrations: migrationStatus(connection(), migrations),
  }),
  check: async () => {
    const damage = checkDamage(path, connection())
    const damaged = damage.length > 0
    return {
      damaged,
      findings: damaged ? damage : [...(await checkSeals(read, connection())), ...(await findBrokenInvariants(read))],
    }
  },
  backup: async (copy) => backupTo(connection(), copy),
  // Processes that have the file open find the mark at their next write.
  leave: async (other) => writeFileSync(`${path}${MOVED}`, `${other}\n`, { mode: 0o600 }),
})
