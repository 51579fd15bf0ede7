import SqliteDatabase from 'better-sqlite3'
import { maintenanceOf } from '../../src/db/open/maintenance.ts'
import { migrate } from '../../src/db/open/migrate.ts'
import type { SqliteStore } from '../../src/db/open/open.ts'
import { writeWhenFree } from '../../src/db/open/transaction.ts'
import { kyselyOver } from '../../src/db/engine/sqlite.ts'
import { migrations } from './core.ts'

/** Tables in which operations leave rows; personas and built-in agents stay. */
const wiped = [
  'events',
  'requests',
  'call_results',
  'task_commits',
  'agent_runs',
  'task_logs',
  'task_attempts',
  'task_criteria',
  'task_dependencies',
  'task_status',
  'tasks',
  'integrations',
  'verifications',
  'worktree_reverts',
  'archives',
  'watched_targets',
  'worktree_ports',
  'worktree_folders',
  'worktrees',
  'task_assignments',
  'task_budgets',
  'run_contexts',
  'run_pauses',
  'leases',
  'sqlite_sequence',
]

/** A store in memory over one connection, and a way to reset it without opening it (and compiling its statements) again. */
export const memoryStore = (): { store: SqliteStore; wipe: () => void } => {
  const connection = new SqliteDatabase(':memory:')
  connection.pragma('foreign_keys = ON')
  migrate(connection, migrations, () => {})
  const db = kyselyOver({ connection: () => connection, explain: (error) => error })
  const store: SqliteStore = {
    engine: 'SQLite',
    path: ':memory:',
    read: db,
    write: (work) => writeWhenFree(connection, ':memory:', () => work(db)),
    version: () => 0,
    waits: () => ({ times: 0, ms: 0, longest: 0 }),
    maintenance: maintenanceOf({ path: ':memory:', migrations, read: db, connection: () => connection }),
    connection,
    close: () => void connection.close(),
  }
  const wipe = (): void => {
    connection.pragma('foreign_keys = OFF')
    connection.exec(
      `${wiped.map((table) => `DELETE FROM ${table};`).join('')} DELETE FROM agents WHERE id NOT IN ('human', 'aiswarm');`,
    )
    connection.pragma('foreign_keys = ON')
  }
  return { store, wipe }
}
