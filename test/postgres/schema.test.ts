import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { copiedTables } from '../../src/db/copy.ts'
import { openStore } from '../../src/db/sqlite/open.ts'
import { newAddress, openAt, ownCluster, runSql } from '../support/board-on-server.ts'
import { likeSqlite, type Rules, rulesOf } from '../support/schemas.ts'
import { temporaryFolder } from '../support/core.ts'
import { migrations } from '../support/template.ts'

// The scripts for both engines make the same board, and a copy leaves none of its tables out.

const cluster = ownCluster()

/** Tables that belong to a store and not to the board, and sums that each engine keeps in its own way. */
const notCopied = ['leases', 'migration_audit', 'migration_history', 'task_counts', 'unpriced_totals', 'usage_totals']

const onSqlite = async (): Promise<ReadonlyMap<string, readonly string[]>> => {
  const store = await openStore(join(temporaryFolder(), 'board.db'), { migrations })
  onTestFinished(() => store.close())
  const tables = store.connection
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%\\_words%' ESCAPE '\\'",
    )
    .pluck()
    .all()
  const columns = store.connection.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck()
  return new Map(tables.map((table) => [table, columns.all(table).sort()]))
}

test('every table of the board has the same columns on both engines', async () => {
  const address = newAddress(cluster)
  await openAt(address)
  const rows = await runSql<{ table_name: string; column_name: string }>(
    cluster,
    `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = '${address.schema}'`,
  )
  const onServer = (table: string): readonly string[] =>
    rows
      .filter(({ table_name }) => table_name === table)
      .map(({ column_name }) => column_name)
      .sort()
  for (const [table, columns] of await onSqlite()) expect([table, ...onServer(table)]).toEqual([table, ...columns])
})

test('every table of the board is copied', async () => {
  const tables = [...(await onSqlite()).keys()]
  const copied = copiedTables.map(({ name }) => name)
  expect([...copied, ...notCopied].sort()).toEqual(tables.sort())
})

/** Tables that one engine alone has, each with the reason. */
const ofOneEngine: Readonly<Record<string, string>> = {
  board: 'a database file says by a file beside it that it was left, and one machine has one program',
  task_counts: 'a table that triggers keep up; on a server a view, for no two writers may wait for one row',
  usage_totals: 'as task_counts',
  unpriced_totals: 'as task_counts',
  task_count_sums: 'the base of the view task_counts',
  task_count_changes: 'the changes that are not in its base yet',
  usage_sums: 'the base of the views usage_totals and unpriced_totals',
  usage_changes: 'the changes that are not in their base yet',
  conversation_words: 'words that SQLite keeps in a table of FTS5, which is none of the schema',
  execution_words: 'as conversation_words',
}

/** The lines in which two schemas differ. */
const differences = (one: ReadonlyMap<string, Rules>, other: ReadonlyMap<string, Rules>): readonly string[] =>
  [...new Set([...one.keys(), ...other.keys()])]
    .filter((table) => ofOneEngine[table] === undefined)
    .flatMap((table) => {
      const [here, there] = [one.get(table) ?? [], other.get(table) ?? []]
      return [
        ...here.filter((rule) => !there.includes(rule)).map((rule) => `${table}: only SQLite has ${rule}`),
        ...there.filter((rule) => !here.includes(rule)).map((rule) => `${table}: only PostgreSQL has ${rule}`),
      ]
    })

test('every table of the board has the same types, empty columns, defaults, conditions, keys and references on both engines', async () => {
  const store = await openStore(join(temporaryFolder(), 'board.db'), { migrations })
  onTestFinished(() => store.close())
  // It takes every condition of SQLite as it is written.
  expect(await likeSqlite(cluster, store.connection, 'as_sqlite')).toEqual([])
  const address = newAddress(cluster)
  await openAt(address)
  const onSqlite = await rulesOf(cluster, 'as_sqlite')
  const onServer = await rulesOf(cluster, address.schema)
  expect(differences(onSqlite, onServer)).toEqual([])
  const here = [...onSqlite.keys(), ...onServer.keys()].filter((table) => onSqlite.has(table) !== onServer.has(table))
  expect(here.sort()).toEqual(Object.keys(ofOneEngine).sort())
  const rules = [...onServer.values()].flat()
  for (const [kind, least] of [
    ['CHECK', 120],
    ['FOREIGN KEY', 50],
    ['PRIMARY KEY', 40],
    ['UNIQUE', 5],
    ['NOT NULL', 150],
  ] as const)
    expect(rules.filter((rule) => rule.includes(kind)).length, kind).toBeGreaterThan(least)
})

test.each([
  ['a type', 'ALTER TABLE leases ALTER holder_pid TYPE text', 'holder_pid'],
  ['an empty column', 'ALTER TABLE tasks ALTER description DROP NOT NULL', 'description text'],
  ['a default', 'ALTER TABLE tasks ALTER priority SET DEFAULT 1', 'priority bigint NOT NULL DEFAULT'],
  ['a missing condition', 'ALTER TABLE tasks DROP CONSTRAINT tasks_title_check', 'length(title)'],
  ['a condition of its own', 'ALTER TABLE tasks ADD CHECK (priority < 10)', 'priority < 10'],
  ['a unique key', 'CREATE UNIQUE INDEX ON tasks (title) WHERE priority > 5', 'UNIQUE'],
  ['a reference', 'ALTER TABLE tasks DROP CONSTRAINT tasks_session_id_fkey', 'REFERENCES sessions'],
])('%s that differs on a server is found', async (_, change, found) => {
  const address = newAddress(cluster)
  await openAt(address)
  const before = await rulesOf(cluster, address.schema)
  await runSql(cluster, `SET search_path TO ${address.schema}; ${change}`)
  const differing = differences(before, await rulesOf(cluster, address.schema))
  expect(differing.length).toBeGreaterThan(0)
  for (const line of differing) expect(line).toContain(found)
})
