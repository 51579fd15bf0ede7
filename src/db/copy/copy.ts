import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import type { Store } from '../engine/store.ts'
import { type AnyDb, type CopiedTable, copiedTables, pagesOf, type Row, untyped, wordsOfTexts } from './tables.ts'

/** The rows of each table of a board that was copied. */
export type CopyReport = readonly { readonly table: string; readonly rows: number }[]

/** Marks the board that was copied as being at another place now, with the end of its last write. */
export type Leave = (other: string) => Promise<void>

/**
 * Copies a board to an empty one on any engine, in one transaction there, while nothing can be written here. Every table
 * is read back and compared by its number of rows and a hash of them; a difference refuses, and nothing is copied. `then`
 * runs once the copy is committed, still before anything can be written here: a write in between would be lost.
 */
export const copyBoard = async (
  from: Store,
  to: Store,
  then: (leave: Leave) => Promise<void> = async () => {},
): Promise<CopyReport> => {
  let copied: CopyReport | undefined
  return from.write(async (source) => {
    // A lost connection runs the work again, when others may have written here, and the other board is filled.
    if (copied) throw cut(from, to)
    await allowPauses(untyped(source), from)
    copied = await to.write((target) => copyAll(untyped(source), untyped(target), to)).catch(explainLeft(to))
    await refuseBroken(from, to)
    await then((other) => from.maintenance.leave(other, source))
    return copied
  })
}

/** A copy that breaks a condition which the original fulfils is not the board. */
const refuseBroken = async (from: Store, to: Store): Promise<void> => {
  const { findings } = await to.maintenance.check()
  if (findings.length === 0) return
  const known = new Set((await from.maintenance.check()).findings)
  const broken = findings.find((finding) => !known.has(finding))
  if (broken !== undefined)
    throw new Refusal(
      'migration_failed',
      `The copy at ${to.path} was compared, but is not sound: ${broken} The board stays where it is.`,
    )
}

/** Copies a board on a server to an empty one, as it is at one moment; others write to it meanwhile. */
export const copySnapshot = (from: Store, to: Store): Promise<CopyReport> =>
  from.reading!(async (source) => {
    await allowPauses(untyped(source), from)
    return to.write((target) => copyAll(untyped(source), untyped(target), to))
  })

/** The board was not left, so it is still the board; its copy is of no use. */
const cut = (from: Store, to: Store): Refusal =>
  new Refusal(
    'store_unreachable',
    `The connection to the board at ${from.path} was lost at the end of its copy, so that is still the board. Copy it again${to.engine === 'PostgreSQL' ? `; first remove the copy at ${to.path} with DROP SCHEMA … CASCADE, or name another schema with ?schema=NAME in the address` : ''}.`,
  )

/** A board that was left before keeps the rows of then, and accepts no others. */
export const explainLeft =
  ({ path }: Pick<Store, 'path'>) =>
  (error: unknown): never => {
    if (!isRefusal(error) || error.code !== 'database_moved') throw error
    throw new Refusal(
      'already_exists',
      `The board at ${path} was moved away before, and still has its rows of then. Name another schema with ?schema=NAME in the address, or remove that board first.`,
      { cause: error },
    )
  }

const copyAll = async (source: AnyDb, target: AnyDb, to: Store): Promise<CopyReport> => {
  await allowPauses(target, to)
  await refuseFilled(source, target, to)
  await deferReferences(target, to)
  await clear(target, to)
  const as = to.engine === 'PostgreSQL' ? withoutNul : same
  for (const table of copiedTables) await copyTable(source, target, table, as)
  await copySums(source, target, to)
  if (to.engine === 'PostgreSQL') await continueNumbers(target)
  return compare(source, target, as)
}

/** One side waits while the other works on a large table; the server would end its transaction as that of a stopped process. */
const allowPauses = async (db: AnyDb, { engine }: Store): Promise<void> => {
  if (engine === 'PostgreSQL') await sql`SET LOCAL idle_in_transaction_session_timeout = '10min'`.execute(db)
}

/** Sums that triggers keep, in tables on SQLite and as views on PostgreSQL. */
const sums: readonly CopiedTable[] = [
  { name: 'task_counts', key: ['status'] },
  { name: 'usage_totals', key: ['scope', 'subject'] },
  { name: 'unpriced_totals', key: ['scope', 'subject'], above0: 'tokens' },
]

const refuseFilled = async (source: AnyDb, target: AnyDb, { path }: Store): Promise<void> => {
  if ((await target.selectFrom('events').select('id').limit(1).execute()).length === 0) return
  const [last] = await target.selectFrom('event_chain').selectAll().orderBy('event_id', 'desc').limit(1).execute()
  const own =
    last !== undefined &&
    (
      await source
        .selectFrom('event_chain')
        .select('event_id')
        .where('event_id', '=', last['event_id'] as number)
        .where('hash', '=', last['hash'] as string)
        .execute()
    ).length > 0
  throw new Refusal(
    'already_exists',
    own
      ? `The board at ${path} is not empty: it is a copy of this one, up to event ${String(last['event_id'])}, as an attempt that was interrupted leaves it. If nothing uses it, remove it with 'DROP SCHEMA … CASCADE', or name another schema with ?schema=NAME in the address.`
      : `The board at ${path} is not empty. Name another schema with ?schema=NAME in the address, or remove that board first.`,
  )
}

/** Rows refer to each other in circles, so references are checked at the end. */
const deferReferences = async (target: AnyDb, { engine }: Store): Promise<void> => {
  await (engine === 'PostgreSQL' ? sql`SET CONSTRAINTS ALL DEFERRED` : sql`PRAGMA defer_foreign_keys = ON`).execute(
    target,
  )
}

const clear = async (target: AnyDb, { engine }: Store): Promise<void> => {
  const own =
    engine === 'PostgreSQL'
      ? ['task_count_sums', 'task_count_changes', 'usage_sums', 'usage_changes']
      : ['task_counts', 'usage_totals', 'unpriced_totals']
  for (const name of [...copiedTables.map(({ name }) => name).reverse(), ...own])
    await target.deleteFrom(name).execute()
}

/** A row as the other engine can hold it. */
type Storable = (row: Row) => Row

const same: Storable = (row) => row

/** A server cannot hold a NUL character, which the texts of an older board may have: it is replaced as in what programs print. */
const withoutNul: Storable = (row) =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value,
    ]),
  )

const copyTable = async (source: AnyDb, target: AnyDb, table: CopiedTable, as: Storable): Promise<void> => {
  // Rows that triggers have written meanwhile do not belong to the board.
  await target.deleteFrom(table.name).execute()
  for await (const page of pagesOf(source, table)) {
    const rows = page.map(as)
    await target.insertInto(table.name).values(rows).execute()
    const words = wordsOfTexts(table.name, rows)
    if (words)
      await target
        .insertInto(words.table)
        .values([...words.rows])
        .execute()
  }
}

const copySums = async (source: AnyDb, target: AnyDb, to: Store): Promise<void> => {
  const counts = (await source.selectFrom('task_counts').select(['status', 'tasks']).execute()) as readonly Row[]
  const usage = (await source
    .selectFrom('usage_totals')
    .select(['scope', 'subject', 'tokens_in', 'tokens_out', 'tokens_cached', 'cost_usd'])
    .execute()) as readonly Row[]
  const unpriced = (await source
    .selectFrom('unpriced_totals')
    .select(['scope', 'subject', 'tokens'])
    .where('tokens', '>', 0)
    .execute()) as readonly Row[]
  const insert = async (table: string, rows: readonly Row[]): Promise<void> => {
    await target.deleteFrom(table).execute()
    for (const row of rows) await target.insertInto(table).values(row).execute()
  }
  if (to.engine === 'SQLite') {
    await insert('task_counts', counts)
    await insert('usage_totals', usage)
    return insert('unpriced_totals', unpriced)
  }
  for (const table of ['task_count_changes', 'usage_changes']) await target.deleteFrom(table).execute()
  const tokens = new Map(unpriced.map(({ scope, subject, tokens }) => [`${String(scope)}:${String(subject)}`, tokens]))
  await insert('task_count_sums', counts)
  await insert(
    'usage_sums',
    usage.map((row) => ({ ...row, unpriced: tokens.get(`${String(row['scope'])}:${String(row['subject'])}`) ?? 0 })),
  )
}

/** New rows get numbers above those that were copied. */
const continueNumbers = async (target: AnyDb): Promise<void> => {
  const { rows } = await sql<{ table: string }>`
    SELECT table_name AS table FROM information_schema.columns
    WHERE table_schema = current_schema() AND is_identity = 'YES' AND column_name = 'id' AND table_name NOT LIKE 'migration_%'`.execute(
    target,
  )
  for (const { table } of rows)
    await sql`SELECT setval(pg_get_serial_sequence(${table}, 'id'), greatest(1, (SELECT coalesce(max(id), 0) FROM ${sql.table(table)})), EXISTS (SELECT 1 FROM ${sql.table(table)}))`.execute(
      target,
    )
}

const compare = async (source: AnyDb, target: AnyDb, as: Storable): Promise<CopyReport> => {
  const report: { table: string; rows: number }[] = []
  for (const table of [...copiedTables, ...sums]) {
    const [here, there] = [await digest(source, table, as), await digest(target, table)]
    if (here.rows !== there.rows || here.hash !== there.hash)
      throw new Refusal(
        'migration_failed',
        `The copy of ${table.name} differs from the original (${there.rows} rows instead of ${here.rows}), so nothing was copied.`,
      )
    report.push({ table: table.name, rows: here.rows })
  }
  return report
}

/** The number of rows and a hash that does not depend on their order or on that of the columns. */
const digest = async (db: AnyDb, table: CopiedTable, as: Storable = same): Promise<{ rows: number; hash: bigint }> => {
  let [rows, hash] = [0, 0n]
  for await (const page of pagesOf(db, table)) {
    rows += page.length
    for (const row of page) hash = BigInt.asUintN(64, hash + hashOf(as(row)))
  }
  return { rows, hash }
}

const hashOf = (row: Row): bigint =>
  createHash('sha256')
    .update(
      JSON.stringify(
        Object.keys(row)
          .sort()
          .map((column) => [column, row[column]]),
      ),
    )
    .digest()
    .readBigUInt64BE()
