import { PGlite } from '@electric-sql/pglite'
import { onTestFinished } from 'vitest'
import type { Result } from '../../src/db/postgres/batch.ts'
import { parsers } from '../../src/db/postgres/dialect.ts'
import { openPostgres, type PostgresStore } from '../../src/db/postgres/open.ts'
import { type Server, serverAt, type Session } from '../../src/db/postgres/server.ts'
import type { SqliteStore } from '../../src/db/sqlite/open.ts'
import type { Instant } from '../../src/domain/words/time.ts'
import type { Wiped } from './memory-store.ts'
import { CLUSTER, postgresScripts } from './postgres.ts'
import { onlyOnSqlite } from './store.ts'
import { clocks, testedStore } from './template.ts'
import { refuseUnsafe, showingTransactions } from './transactions.ts'

// The tests of the operations run on every engine: this variable says on which.

interface Lent {
  readonly store: PostgresStore
  /** The statements that empty it, and those that leave what a program has built in. */
  readonly empty: string
  readonly wipe: string
}

/** Boards that no test uses now: emptying one takes a fraction of the time of making one. */
const free: Lent[] = []
let made = 0
let engine: Server | undefined

/**
 * An empty board on the tested engine, given back when the test ends. A test that reads the connection of SQLite is
 * skipped, by its name.
 */
export const openOther = async (): Promise<SqliteStore> => lend(await take())

/** As `openOther`, with a way to empty the board within the test. */
export const openWiped = async (): Promise<Wiped> => {
  const lent = await take()
  return { store: lend(lent), wipe: () => run(lent, lent.wipe) }
}

const take = async (): Promise<Lent> => {
  const lent = free.pop() ?? (await make())
  onTestFinished(async () => {
    await run(lent, lent.empty)
    free.push(lent)
  })
  return lent
}

/** The store has the clock of the test that has shared one. Real clocks of servers are those of test/postgres. */
const lend = ({ store }: Lent): SqliteStore => {
  let clock: (() => Instant) | undefined
  const lent: SqliteStore = {
    ...store,
    get now() {
      return clock
    },
    write: (work, options) => store.write((db, _, last) => work(db, clock?.(), last), options),
    engine: 'SQLite',
    get connection(): never {
      onlyOnSqlite()
      throw new Error('skipped')
    },
    close: () => {},
  }
  clocks.set(lent, (given) => (clock = given))
  return lent
}

const make = async (): Promise<Lent> => {
  const schema = `board_${process.pid}_${++made}`
  const address = { url: process.env[CLUSTER] ?? 'postgresql://localhost/test', schema }
  engine ??= testedStore === 'pglite' ? await pgliteServer() : serverAt(address)
  const store = await openPostgres(address, {
    migrations: postgresScripts,
    // Every write of these tests is watched: which rows it may share is decided by lists.
    server:
      testedStore === 'postgresql'
        ? showingTransactions(inSchema(engine, schema), refuseUnsafe)
        : inSchema(engine, schema),
  })
  const session = await store.server.connect()
  const { rows } = await session.query<{ name: string; columns: string }>(
    `SELECT table_name AS name, string_agg(quote_ident(column_name), ',') FILTER (WHERE is_generated = 'NEVER') AS columns
     FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND table_name NOT LIKE 'migration_%' GROUP BY table_name`,
    [],
  )
  for (const { name } of rows) await session.script(`CREATE TABLE "base of ${name}" AS TABLE ${name}`)
  const numbered = await session.query<{ name: string }>(
    "SELECT pg_get_serial_sequence(quote_ident(table_name), column_name) AS name FROM information_schema.columns WHERE table_schema = current_schema() AND is_identity = 'YES' AND table_name NOT LIKE 'migration_%'",
    [],
  )
  session.release()
  /** Every row goes, and those of a new board come back, except in these tables. */
  const emptying = (kept: readonly string[], also: readonly string[] = []): string => {
    const emptied = rows.filter(({ name }) => !kept.includes(name))
    return [
      'BEGIN; SET LOCAL session_replication_role = replica',
      ...emptied.map(({ name }) => `DELETE FROM ${name}`),
      ...also,
      ...emptied.map(
        ({ name, columns }) => `INSERT INTO ${name} (${columns}) SELECT ${columns} FROM "base of ${name}"`,
      ),
      ...numbered.rows.map(({ name }) => `SELECT setval('${name}', 1, false)`),
      'COMMIT',
    ].join('; ')
  }
  return {
    store,
    empty: emptying([]),
    wipe: emptying(['personas', 'agents'], ["DELETE FROM agents WHERE id NOT IN ('human', 'aiswarm')"]),
  }
}

const run = async ({ store }: Lent, statements: string): Promise<void> => {
  const session = await store.server.connect()
  let broken = true
  try {
    await session.script(statements)
    broken = false
  } finally {
    session.release(broken)
  }
}

/** One program for all boards, whose connections work in the schema of the board that uses them. */
const inSchema = (server: Server, schema: string): Server => ({
  connect: async () => {
    const session = await server.connect()
    await session.script(`SET search_path TO "${schema}"`)
    return session
  },
  end: () => Promise.resolve(),
})

/** PostgreSQL in this process, with one connection, for which all uses wait in turn. */
const pgliteServer = async (): Promise<Server> => {
  const lite = await PGlite.create({ parsers })
  let queue: Promise<void> = Promise.resolve()
  return {
    connect: async () => {
      const before = queue
      let done = (): void => {}
      queue = new Promise<void>((resolve) => (done = resolve))
      await before
      return sessionOf(lite, done)
    },
    end: () => lite.close(),
  }
}

const sessionOf = (lite: PGlite, release: () => void): Session => ({
  query: async <Row>(sql: string, parameters: readonly unknown[]) => {
    // Parameters go as text, as `pg` sends them; the engine knows their types.
    const { rows, affectedRows } = await lite.query<Row>(sql, parameters.map(asText))
    const command = /^\s*(?:with\b[^]*?\)\s*)?(select|insert|update|delete|merge)\b/i.exec(sql)?.[1]?.toUpperCase()
    return { command: (command ?? 'SELECT') as Result['command'], rowCount: affectedRows ?? rows.length, rows }
  },
  script: async <Row>(sql: string) => (await lite.exec(sql)).at(-1)?.rows as Row[],
  release,
})

const asText = (value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value)
