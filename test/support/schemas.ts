import pg, { escapeIdentifier } from 'pg'
import type { Connection } from '../../src/db/sqlite/database.ts'
import type { Cluster } from './postgres.ts'

// The tables of a board on both engines, in the words of PostgreSQL: it gets the conditions of SQLite's tables, and prints
// both in one form.

/** The rules of one table, each a line: columns with their types, defaults, conditions, keys and references. */
export type Rules = readonly string[]

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
export const checksIn = (text: string): readonly string[] => {
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
export const likeSqlite = (cluster: Cluster, connection: Connection, schema: string): Promise<readonly string[]> =>
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
export const rulesOf = (cluster: Cluster, schema: string): Promise<ReadonlyMap<string, Rules>> =>
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
