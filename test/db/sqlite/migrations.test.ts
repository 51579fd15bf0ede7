import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connect, tableNames } from '../../../src/db/sqlite/database.ts'
import { migrate, migrationStatus } from '../../../src/db/sqlite/migrations.ts'
import { openStore } from '../../../src/db/sqlite/open.ts'
import { migrations, refusal, temporaryFolder } from '../../support/core.ts'
import { firstLine, look, outcome, startFixture, tamper } from '../../support/store.ts'

interface HistoryRow {
  readonly migration_name: string
  readonly script_hash: string
  readonly success: number
  readonly reason: string
}

const history = 'SELECT migration_name, script_hash, success, reason FROM migration_history ORDER BY migration_name'
const audit = 'SELECT migration_name, script_hash, success, reason FROM migration_audit ORDER BY id'
const ownScripts = readdirSync(migrations).filter((name) => name.endsWith('.sql'))
const hash = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A folder of scripts, an empty database next to it, and a function that migrates it. */
const workshop = (scripts: Readonly<Record<string, string>>) => {
  const folder = temporaryFolder()
  const path = join(folder, 'coordination.db')
  const scriptFolder = join(folder, 'migrations')
  mkdirSync(scriptFolder)
  const write = (name: string, sql: string): void => writeFileSync(join(scriptFolder, name), sql)
  for (const [name, sql] of Object.entries(scripts)) write(name, sql)
  const warnings: string[] = []
  const run = () => {
    const connection = connect(path)
    try {
      return migrate(connection, scriptFolder, (sentence) => warnings.push(sentence))
    } finally {
      connection.close()
    }
  }
  const status = () => {
    const connection = connect(path)
    try {
      return migrationStatus(connection, scriptFolder)
    } finally {
      connection.close()
    }
  }
  return {
    path,
    write,
    remove: (name: string) => rmSync(join(scriptFolder, name)),
    run,
    status,
    warnings,
    history: () => look<HistoryRow>(path, history),
    audit: () => look<HistoryRow>(path, audit),
  }
}

const failed = async (work: () => unknown) => refusal(Promise.resolve().then(work))

test('new scripts run in the order of their names, and each is recorded with the SHA-256 of its bytes', () => {
  const first = 'CREATE TABLE a (x);'
  const second = 'ALTER TABLE a ADD COLUMN y; -- é'
  const { run, history, audit, warnings } = workshop({ '002_More.sql': second, '001_First.sql': first })
  expect(run()).toEqual([
    { name: '001_First.sql', reason: 'New migration' },
    { name: '002_More.sql', reason: 'New migration' },
  ])
  expect(history()).toEqual([
    { migration_name: '001_First.sql', script_hash: hash(first), success: 1, reason: 'New migration' },
    { migration_name: '002_More.sql', script_hash: hash(second), success: 1, reason: 'New migration' },
  ])
  expect(audit()).toEqual([])
  expect(warnings).toEqual([])
})

test('files that are not migrations are ignored', () => {
  const { run } = workshop({
    '001_First.sql': 'CREATE TABLE a (x);',
    'notes.sql': 'nonsense',
    '1_Short.sql': 'nonsense',
    '002_More.sql~': 'nonsense',
  })
  expect(run()).toHaveLength(1)
})

test('a script with the same hash is skipped', () => {
  const { run, history, audit } = workshop({ '001_First.sql': 'CREATE TABLE a (x);' })
  run()
  const before = history()
  expect(run()).toEqual([])
  expect([history(), audit()]).toEqual([before, []])
})

test('a changed script runs again with a warning, keeps one row per name, and the old row stays in the audit', () => {
  const { path, run, write, history, audit, status, warnings } = workshop({ '001_First.sql': 'CREATE TABLE a (x);' })
  run()
  const changed = 'CREATE TABLE IF NOT EXISTS a (x); CREATE TABLE b (y);'
  write('001_First.sql', changed)
  expect(status()).toEqual([{ name: '001_First.sql', state: 'changed' }])
  expect(run()).toEqual([{ name: '001_First.sql', reason: 'Script modified' }])
  expect(warnings).toEqual(['Migration 001_First.sql has changed since it was applied; running it again.'])
  expect(history()).toEqual([
    { migration_name: '001_First.sql', script_hash: hash(changed), success: 1, reason: 'Script modified' },
  ])
  expect(audit()).toEqual([
    { migration_name: '001_First.sql', script_hash: hash('CREATE TABLE a (x);'), success: 1, reason: 'New migration' },
  ])
  expect(look(path, 'SELECT y FROM b')).toEqual([])
})

test('a change of one byte, even in a comment, counts as a change', () => {
  const { run, write } = workshop({ '001_First.sql': 'CREATE TABLE IF NOT EXISTS a (x);' })
  run()
  write('001_First.sql', 'CREATE TABLE IF NOT EXISTS a (x);\n')
  expect(run()).toEqual([{ name: '001_First.sql', reason: 'Script modified' }])
})

test('a failed script is rolled back and recorded, and later scripts do not run', async () => {
  const { path, run, history, status } = workshop({
    '001_First.sql': 'CREATE TABLE a (x);',
    '002_Bad.sql': 'CREATE TABLE b (x); INSERT INTO nowhere VALUES (1);',
    '003_Later.sql': 'CREATE TABLE c (x);',
  })
  const { code, message } = await failed(run)
  expect(code).toBe('migration_failed')
  expect(message).toBe(
    'Migration 002_Bad.sql failed and was rolled back: no such table: nowhere. Fix the script; aiswarm runs it again at the next start.',
  )
  expect(look<{ name: string }>(path, "SELECT name FROM sqlite_schema WHERE name IN ('a', 'b', 'c')")).toEqual([
    { name: 'a' },
  ])
  expect(history().map((row) => [row.migration_name, row.success, row.reason])).toEqual([
    ['001_First.sql', 1, 'New migration'],
    ['002_Bad.sql', 0, 'Failed: no such table: nowhere'],
  ])
  expect(status().map((script) => script.state)).toEqual(['applied', 'failed', 'pending'])
})

test('a failed script is tried again, repaired or not, and the failure stays in the audit', async () => {
  const { run, write, history, audit, warnings } = workshop({ '001_Bad.sql': 'INSERT INTO a VALUES (1);' })
  await failed(run)
  expect((await failed(run)).code).toBe('migration_failed')
  write('001_Bad.sql', 'CREATE TABLE a (x);')
  expect(run()).toEqual([{ name: '001_Bad.sql', reason: 'Retried after failure' }])
  expect(history().map((row) => [row.success, row.reason])).toEqual([[1, 'Retried after failure']])
  expect(audit().map((row) => [row.success, row.reason])).toEqual([
    [0, 'Failed: no such table: a'],
    [0, 'Failed: no such table: a'],
  ])
  expect(warnings).toEqual([])
})

test('a database with a script that the program lacks is refused with advice and not changed', async () => {
  const { run, write, remove, history } = workshop({
    '001_First.sql': 'CREATE TABLE a (x);',
    '009_Future.sql': 'CREATE TABLE f (x);',
  })
  run()
  const before = history()
  remove('009_Future.sql')
  write('001_First.sql', 'CREATE TABLE other (x);')
  const { code, message } = await failed(run)
  expect(code).toBe('database_newer')
  expect(message).toBe(
    'The database was written by a newer aiswarm (it has 009_Future.sql). Update aiswarm, or move .aiswarm/coordination.db away to start with a new one.',
  )
  expect(history()).toEqual(before)
})

test('a timeout while another process writes is not recorded as a failed script', async () => {
  const { path, run, write, history } = workshop({ '001_First.sql': 'CREATE TABLE IF NOT EXISTS a (x);' })
  run()
  write('001_First.sql', 'CREATE TABLE IF NOT EXISTS a (x); -- changed')
  tamper(path, 'PRAGMA journal_mode = WAL')
  const holder = startFixture('lock-holder', [path])
  expect(await firstLine(holder)).toBe('held')
  const connection = connect(path, { wait: 1 })
  expect(() => migrate(connection, join(path, '../migrations'), () => {})).toThrow('database is locked')
  connection.close()
  holder.stdin!.end()
  await outcome(holder)
  expect(history().map((row) => row.reason)).toEqual(['New migration'])
})

test('two processes that migrate at once do the work once', async () => {
  const path = join(temporaryFolder(), 'coordination.db')
  const children = [startFixture('migrator', [path, migrations]), startFixture('migrator', [path, migrations])]
  await Promise.all(children.map(firstLine))
  const ends = children.map(outcome)
  for (const child of children) child.stdin!.write('go')
  expect((await Promise.all(ends)).map((end) => end.code)).toEqual([0, 0])
  expect(look<HistoryRow>(path, history).map((row) => row.reason)).toEqual(ownScripts.map(() => 'New migration'))
  expect(look(path, audit)).toEqual([])
})

test('the schema of the program can run twice over existing rows', async () => {
  const path = join(temporaryFolder(), 'coordination.db')
  const store = await openStore(path, { migrations })
  store.connection.exec("INSERT INTO tasks (title, description, persona_id) VALUES ('kept', '', 'human')")
  store.close()
  tamper(path, "UPDATE migration_history SET script_hash = 'an older text of it'")
  const warnings: string[] = []
  const again = await openStore(path, { migrations, warn: (sentence) => warnings.push(sentence) })
  expect(warnings).toHaveLength(ownScripts.length)
  expect(again.connection.prepare('SELECT title FROM tasks').pluck().all()).toEqual(['kept'])
  again.close()
})

test('the schema has the tables and index names of seed 004', async () => {
  const store = await openStore(join(temporaryFolder(), 'coordination.db'), { migrations })
  const indexes = store.connection
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'index'")
    .pluck()
    .all()
  expect(tableNames(store.connection)).toEqual(
    expect.arrayContaining([
      'migration_history',
      'personas',
      'tasks',
      'task_status',
      'worktrees',
      'agents',
      'task_logs',
    ]),
  )
  expect(indexes).toEqual(
    expect.arrayContaining([
      'idx_migration_name',
      'idx_migration_applied_at',
      'idx_task_status_status',
      'idx_task_status_persona',
      'idx_task_status_agent',
      'idx_agents_persona',
      'idx_agents_last_heartbeat',
      'idx_task_logs_task_id',
    ]),
  )
  store.close()
})

test('a missing column is added, an existing one is not changed, and the statements around it run each time', () => {
  const add =
    'CREATE TABLE IF NOT EXISTS a (x);\nALTER TABLE a ADD COLUMN IF NOT EXISTS y TEXT;\nINSERT INTO a (x, y) VALUES (1, 2);'
  const { run, write, path, warnings } = workshop({ '001_First.sql': add })
  run()
  write('001_First.sql', `${add} -- again`)
  run()
  expect(look(path, 'SELECT x, y FROM a')).toEqual([
    { x: 1, y: '2' },
    { x: 1, y: '2' },
  ])
  expect(warnings).toHaveLength(1)
})

test('agents.worktree_path follows the worktree of an agent and its folder', async () => {
  const store = await openStore(join(temporaryFolder(), 'coordination.db'), { migrations })
  const folder = () => store.connection.prepare("SELECT worktree_path FROM agents WHERE id = 'a'").pluck().get()
  const run = (sql: string) => store.connection.exec(sql)
  run(`
    INSERT INTO personas (id, name, definition) VALUES ('p', 'p', '{}');
    INSERT INTO worktrees (name, branch_name, created_by, path) VALUES ('auth', 'auth', 'human', '/one'), ('docs', 'docs', 'human', '/two');
    INSERT INTO agents (id, persona_id, assigned_worktree) VALUES ('a', 'p', 'auth');`)
  expect(folder()).toBe('/one')
  run("UPDATE worktrees SET path = '/moved' WHERE name = 'auth'")
  expect(folder()).toBe('/moved')
  run("UPDATE agents SET assigned_worktree = 'docs'")
  expect(folder()).toBe('/two')
  run('UPDATE agents SET assigned_worktree = NULL')
  expect(folder()).toBeNull()
  store.close()
})
