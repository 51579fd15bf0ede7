import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { isRefusal, Refusal } from '../domain/rules/refusal.ts'
import { conversationWords, executionWords } from './dual-memory.ts'
import type { Db } from './engine/db.ts'
import type { Store } from './engine/store.ts'

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

/** The board was not left, so it is still the board; its copy is of no use. */
const cut = (from: Store, to: Store): Refusal =>
  new Refusal(
    'store_unreachable',
    `The connection to the board at ${from.path} was lost at the end of its copy, so that is still the board. Copy it again${to.engine === 'PostgreSQL' ? `; first remove the copy at ${to.path} with DROP SCHEMA … CASCADE, or name another schema with ?schema=NAME in the address` : ''}.`,
  )

/** One side waits while the other works on a large table; the server would end its transaction as that of a stopped process. */
const allowPauses = async (db: AnyDb, { engine }: Store): Promise<void> => {
  if (engine === 'PostgreSQL') await sql`SET LOCAL idle_in_transaction_session_timeout = '10min'`.execute(db)
}

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

/** True if a board has only what the first command in a repository writes: nothing of a person or an agent. */
export const isUntouched = async (db: Db): Promise<boolean> => {
  const board = untyped(db)
  for (const { name, above0 } of copiedTables) {
    if (FIRST.includes(name)) continue
    const rows = board.selectFrom(name).selectAll().limit(1)
    if ((await (above0 === undefined ? rows : rows.where(above0, '>', 0)).execute()).length > 0) return false
  }
  const [events, agents, hosts] = await Promise.all([
    board.selectFrom('events').select('id').where('operation', 'not in', FIRST_OPERATIONS).limit(1).execute(),
    board.selectFrom('agents').select('id').where('id', 'not in', ['human', 'aiswarm']).limit(1).execute(),
    board.selectFrom('hosts').select('id').where('id', '<>', 'local').limit(1).execute(),
  ])
  return events.length + agents.length + hosts.length === 0
}

/** Tables with rows that the first command in a repository writes. */
const FIRST = ['personas', 'hosts', 'agents', 'events', 'event_chain', 'repository_guard']

/** The only operations that the first command records. */
const FIRST_OPERATIONS = ['sync_personas', 'record_guard']

// The tables of a board as a copy sees them: any column, whatever engine stores it.

type Row = Readonly<Record<string, unknown>>
type AnyDb = Kysely<Record<string, Record<string, unknown>>>

/** The same rows without their types: a copy treats all tables alike. */
const untyped = (db: Db): AnyDb => db as unknown as AnyDb

/** A table that is copied row by row, with the columns that give its rows an order. */
interface CopiedTable {
  readonly name: string
  readonly key: readonly string[]
  /** A column whose rows count only above 0. */
  readonly above0?: string
}

/**
 * Every table of both engines whose rows are the board's own, parents first where possible. Leases are left out, because
 * a copy is made while no process has a role, and so are the migrations, which each store has of its own.
 */
export const copiedTables: readonly CopiedTable[] = [
  { name: 'personas', key: ['id'] },
  { name: 'sessions', key: ['id'] },
  { name: 'hosts', key: ['id'] },
  { name: 'host_joins', key: ['code_hash'] },
  { name: 'fleet', key: ['id'] },
  { name: 'run_tails', key: ['agent_id'] },
  { name: 'host_calls', key: ['id'] },
  { name: 'sights', key: ['host_id', 'subject'] },
  { name: 'host_returns', key: ['host_id', 'worktree', 'returned_at'] },
  { name: 'agents', key: ['id'] },
  { name: 'host_guards', key: ['host_id'] },
  { name: 'worktrees', key: ['name'] },
  { name: 'tasks', key: ['id'] },
  { name: 'task_status', key: ['task_id'] },
  { name: 'task_dependencies', key: ['task_id', 'depends_on'] },
  { name: 'task_criteria', key: ['task_id', 'position'] },
  { name: 'task_attempts', key: ['task_id', 'attempt'] },
  { name: 'task_logs', key: ['id'] },
  { name: 'task_commits', key: ['task_id', 'attempt', 'oid'] },
  { name: 'task_assignments', key: ['task_id'] },
  { name: 'task_budgets', key: ['task_id'] },
  { name: 'missing_artifacts', key: ['task_id', 'path'] },
  { name: 'progress_turns', key: ['task_id', 'attempt', 'hash'] },
  { name: 'agent_runs', key: ['agent_id', 'run'] },
  { name: 'run_contexts', key: ['agent_id', 'run'] },
  { name: 'run_pauses', key: ['agent_id', 'run'] },
  { name: 'usage_steps', key: ['agent_id', 'run', 'at'] },
  { name: 'kind_sleeps', key: ['kind', 'account'] },
  { name: 'session_budgets', key: ['session_id'] },
  { name: 'agent_messages', key: ['id'] },
  { name: 'run_journals', key: ['agent_id', 'run'] },
  { name: 'races', key: ['id'] },
  { name: 'racers', key: ['race_id', 'position'] },
  { name: 'forks', key: ['task_id'] },
  { name: 'requests', key: ['id'] },
  { name: 'wanted_rules', key: ['request_id'] },
  { name: 'call_results', key: ['actor', 'request_id'] },
  { name: 'integrations', key: ['id'] },
  { name: 'verifications', key: ['id'] },
  { name: 'worktree_reverts', key: ['worktree'] },
  { name: 'worktree_ports', key: ['host_id', 'port'] },
  { name: 'worktree_folders', key: ['worktree'] },
  { name: 'archives', key: ['ref'] },
  { name: 'radar_conflicts', key: ['worktree', 'with_target', 'other'] },
  { name: 'repository_guard', key: ['id'] },
  { name: 'watched_targets', key: ['target'] },
  { name: 'watched_checkout', key: ['id'] },
  { name: 'hooks', key: ['key'] },
  { name: 'hook_deliveries', key: ['id'] },
  { name: 'deadlines', key: ['subject', 'id'] },
  { name: 'conversations', key: ['id'] },
  { name: 'conversation_texts', key: ['conversation_id'] },
  { name: 'executions', key: ['id'] },
  { name: 'execution_texts', key: ['execution_id'] },
  { name: 'events', key: ['id'] },
  { name: 'event_chain', key: ['event_id'] },
  // Written by triggers of other tables as well, so they come last, into empty tables.
  { name: 'run_sessions', key: ['agent_id', 'run'] },
  { name: 'task_queue', key: ['priority', 'task_id'] },
]

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

/** Rows that are read and written at once; SQLite takes no more than 32,766 values in a statement. */
const PAGE = 500

/** All rows of a table, in the order of its key, a page at a time. */
const pagesOf = async function* (db: AnyDb, { name, key, above0 }: CopiedTable): AsyncGenerator<readonly Row[]> {
  const columns = sql.join(key.map((column) => sql.ref(column)))
  for (let last: readonly unknown[] | undefined; ;) {
    let query = db.selectFrom(name).selectAll().limit(PAGE)
    for (const column of key) query = query.orderBy(column)
    if (above0 !== undefined) query = query.where(above0, '>', 0)
    if (last) query = query.where(sql<boolean>`(${columns}) > (${sql.join(last.map((value) => sql`${value}`))})`)
    const rows = (await query.execute()) as readonly Row[]
    if (rows.length > 0) yield rows
    if (rows.length < PAGE) return
    last = key.map((column) => rows.at(-1)![column])
  }
}

/** The rows of the full-text table for texts of the dual memory; undefined for a table without one. */
const wordsOfTexts = (name: string, rows: readonly Row[]): { table: string; rows: readonly Row[] } | undefined => {
  if (name === 'conversation_texts')
    return {
      table: 'conversation_words',
      rows: rows.map((row) => conversationWords(row['conversation_id'] as number, row as never)),
    }
  if (name === 'execution_texts')
    return {
      table: 'execution_words',
      rows: rows.map((row) => executionWords(row['execution_id'] as number, row as never)),
    }
  return undefined
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

/** Sums that triggers keep, in tables on SQLite and as views on PostgreSQL. */
const sums: readonly CopiedTable[] = [
  { name: 'task_counts', key: ['status'] },
  { name: 'usage_totals', key: ['scope', 'subject'] },
  { name: 'unpriced_totals', key: ['scope', 'subject'], above0: 'tokens' },
]

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
