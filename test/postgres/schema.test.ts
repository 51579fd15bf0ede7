import { join } from 'node:path'
import pg, { escapeIdentifier } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { copiedTables } from '../../src/db/copy.ts'
import type { Connection } from '../../src/db/sqlite/database.ts'
import { openStore } from '../../src/db/sqlite/open.ts'
import { newAddress, openAt, ownCluster, runSql } from '../support/board-on-server.ts'
import { temporaryFolder } from '../support/core.ts'
import type { Cluster } from '../support/postgres.ts'
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

// The tables of a board on both engines, in the words of PostgreSQL: it gets the conditions of SQLite's tables, and prints
// both in one form.

/** The rules of one table, each a line: columns with their types, defaults, conditions, keys and references. */
type Rules = readonly string[]

/** SQLite's words for an instant of now; a server's are its clock's. */
const NOW = /^(?:\(?strftime\('%Y-%m-%dT%H:%M:%fZ', 'now'\)\)?|CURRENT_TIMESTAMP|board_now\(\))$/

const classes: Readonly<Record<string, string>> = {
  INTEGER: 'bigint',
  BOOLEAN: 'bigint',
  TEXT: 'text',
  DATETIME: 'text',
  REAL: 'double precision',
  BLOB: 'bytea',
}

interface Column {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly dflt_value: string | null
  readonly pk: number
  readonly hidden: number
}

/** The conditions in the text of a table: what is in the brackets after each CHECK. */
const checksIn = (text: string): readonly string[] => {
  const found: string[] = []
  const bare = text.replace(/--[^\n]*/g, '')
  for (const { index, 0: word } of bare.matchAll(/\bCHECK\s*\(/gi)) {
    let [depth, quoted, at] = [1, false, index + word.length]
    const from = at
    for (; depth > 0; at++) {
      const letter = bare[at]
      if (letter === undefined) throw new Error(`a condition does not end: ${text}`)
      if (letter === "'") quoted = !quoted
      else if (!quoted) depth += letter === '(' ? 1 : letter === ')' ? -1 : 0
    }
    found.push(bare.slice(from, at - 1))
  }
  return found
}

/** A way to PostgreSQL in which a statement that it does not take is an answer. */
const asking = async <T>(cluster: Cluster, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ host: cluster.folder, user: 'owner', database: 'postgres' })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Makes SQLite's tables on the server, in a schema of their own. Returns the conditions that it does not take. */
const likeSqlite = (cluster: Cluster, connection: Connection, schema: string): Promise<readonly string[]> =>
  asking(cluster, async (client) => {
    const refused: string[] = []
    const tryTo = (what: string, sql: string): Promise<unknown> =>
      client.query(sql).catch((error: unknown) => refused.push(`${what}: ${(error as Error).message}`))
    await client.query(`CREATE SCHEMA ${schema}; SET search_path TO ${schema}`)
    const tables = connection
      .prepare<[], { name: string; sql: string }>(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%\\_words%' ESCAPE '\\'",
      )
      .all()
    for (const { name, sql } of tables) {
      const columns = connection.prepare<[string], Column>('SELECT * FROM pragma_table_xinfo(?)').all(name)
      const lines = columns.map((column) => {
        // A number that is the key is SQLite's own row number.
        const isNull = column.notnull === 0 && column.pk === 0
        return `${escapeIdentifier(column.name)} ${typeOf(column, sql)}${isNull ? '' : ' NOT NULL'}${defaultOf(column)}`
      })
      const key = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk)
      if (key.length > 0) lines.push(`PRIMARY KEY (${key.map((column) => escapeIdentifier(column.name)).join(', ')})`)
      await client.query(`CREATE TABLE ${name} (${lines.join(', ')})`)
      for (const check of checksIn(sql))
        await tryTo(`${name} CHECK (${check})`, `ALTER TABLE ${name} ADD CHECK (${check})`)
      await uniqueOf(connection, name, tryTo)
    }
    for (const { name } of tables) await referencesOf(connection, name, tryTo)
    return refused
  })

const typeOf = ({ name, type }: Column, table: string): string => {
  const known = classes[type.toUpperCase()]
  if (known === undefined) throw new Error(`${name} is of type ${type}: ${table}`)
  return known
}

const defaultOf = ({ dflt_value: value }: Column): string =>
  value === null ? '' : ` DEFAULT ${NOW.test(value) ? "'now'" : value}`

type Try = (what: string, sql: string) => Promise<unknown>

const uniqueOf = async (connection: Connection, table: string, tryTo: Try): Promise<void> => {
  const indexes = connection
    .prepare<[string], { name: string; origin: string; columns: string; sql: string | null }>(
      `SELECT l.name, l.origin, (SELECT group_concat(name, ', ') FROM (SELECT name FROM pragma_index_info(l.name) ORDER BY seqno)) AS columns,
         (SELECT sql FROM sqlite_schema WHERE name = l.name) AS sql
       FROM pragma_index_list(?) l WHERE l."unique" AND l.origin <> 'pk'`,
    )
    .all(table)
  for (const { columns, sql } of indexes) {
    const where = sql === null ? '' : (/\bWHERE\b[^]*$/i.exec(sql)?.[0] ?? '')
    await tryTo(`${table} unique (${columns})`, `CREATE UNIQUE INDEX ON ${table} (${columns}) ${where}`)
  }
}

const referencesOf = async (connection: Connection, table: string, tryTo: Try): Promise<void> => {
  const rows = connection
    .prepare<[string], { id: number; table: string; from: string; to: string | null; on_delete: string }>(
      'SELECT * FROM pragma_foreign_key_list(?) ORDER BY id, seq',
    )
    .all(table)
  for (const parts of Map.groupBy(rows, ({ id }) => id).values()) {
    const to = parts.some((part) => part.to === null) ? '' : `(${parts.map((part) => part.to).join(', ')})`
    const on = parts[0]!.on_delete === 'NO ACTION' ? '' : ` ON DELETE ${parts[0]!.on_delete}`
    const line = `FOREIGN KEY (${parts.map(({ from }) => from).join(', ')}) REFERENCES ${parts[0]!.table}${to}${on}`
    await tryTo(`${table} ${line}`, `ALTER TABLE ${table} ADD ${line}`)
  }
}

/** The rules of every table of a schema, as PostgreSQL prints them. */
const rulesOf = (cluster: Cluster, schema: string): Promise<ReadonlyMap<string, Rules>> =>
  asking(cluster, async (client) => {
    await client.query(`SET search_path TO ${schema}`)
    const rows = async (sql: string) => (await client.query<{ table: string; rule: string }>(sql, [schema])).rows
    const columns = await client.query<{
      table: string
      name: string
      type: string
      nullable: string
      value: string | null
      computed: string
    }>(
      `SELECT table_name AS table, column_name AS name, data_type AS type, is_nullable AS nullable, column_default AS value, is_generated AS computed
       FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
       WHERE table_schema = $1 AND table_type = 'BASE TABLE'`,
      [schema],
    )
    const all = [
      ...columns.rows.map(({ table, name, type, nullable, value, computed }) => ({
        table,
        rule: `${name} ${/^(?:smallint|integer)$/.test(type) ? 'bigint' : type}${nullable === 'NO' ? ' NOT NULL' : ''}${computed === 'ALWAYS' ? ' computed' : ''}${value === null ? '' : ` DEFAULT ${NOW.test(value) || value === "'now'::text" ? 'now' : value}`}`,
      })),
      ...(await rows(
        `SELECT conrelid::regclass::text AS table, replace(pg_get_constraintdef(oid), ' DEFERRABLE', '') AS rule FROM pg_constraint
         WHERE connamespace = $1::regnamespace AND contype IN ('c', 'f', 'p') AND conrelid <> 0`,
      )),
      ...(await rows(
        `SELECT indrelid::regclass::text AS table, 'UNIQUE ' || regexp_replace(pg_get_indexdef(indexrelid), '^.* USING ', '') AS rule FROM pg_index
         WHERE indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = $1::regnamespace) AND indisunique AND NOT indisprimary`,
      )),
    ]
    return new Map(
      [...Map.groupBy(all, ({ table }) => table)].map(([table, found]) => [
        table.replace(/"/g, ''),
        [...new Set(found.map(({ rule }) => rule))].sort(),
      ]),
    )
  })
