import SqliteDatabase from 'better-sqlite3'
import { maintenanceOf, type SqliteStore, writeWhenFree } from '../../src/db/sqlite/open.ts'
import { migrate } from '../../src/db/sqlite/migrations.ts'
import { kyselyOver } from '../../src/db/sqlite/dialect.ts'
import { migrations, testedStore } from './template.ts'

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

/** A store that a test empties many times without opening it (and compiling its statements) again. Built-in rows stay. */
export interface Wiped {
  readonly store: SqliteStore
  readonly wipe: () => Promise<void>
}

/** On SQLite over one connection in memory; otherwise on the engine of this run. */
export const wipedStore = async (): Promise<Wiped> =>
  testedStore === 'sqlite' ? inMemory() : (await import('./other-stores.ts')).openWiped()

const inMemory = (): Wiped => {
  const connection = new SqliteDatabase(':memory:')
  connection.pragma('foreign_keys = ON')
  migrate(connection, migrations, () => {})
  const db = kyselyOver({ connection: () => connection, explain: (error) => error })
  const store: SqliteStore = {
    engine: 'SQLite',
    path: ':memory:',
    read: db,
    write: (work) => writeWhenFree(connection, ':memory:', () => work(db, undefined, db)),
    version: () => 0,
    waits: () => ({ times: 0, ms: 0, longest: 0 }),
    maintenance: maintenanceOf({ path: ':memory:', migrations, read: db, connection: () => connection }),
    connection,
    close: () => void connection.close(),
  }
  const wipe = async (): Promise<void> => {
    connection.pragma('foreign_keys = OFF')
    connection.exec(
      `${wiped.map((table) => `DELETE FROM ${table};`).join('')} DELETE FROM agents WHERE id NOT IN ('human', 'aiswarm');`,
    )
    connection.pragma('foreign_keys = ON')
  }
  return { store, wipe }
}
