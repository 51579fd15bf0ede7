import { escapeIdentifier } from 'pg'
import { Refusal } from '../../domain/rules/refusal.ts'
import { instant } from '../../domain/words/time.ts'
import type { MigrationState } from '../engine/store.ts'
import { readScripts, type Script } from '../open/migration-scripts.ts'
import { explain, movedTo, noBoard } from './explain.ts'
import { historyIn, historyOf, type HistoryRow, refuseMaking, whyNotMade } from './rights.ts'
import type { Server, Session } from './server.ts'
import { lockOf } from './opening.ts'
import { refuseMoreBoards } from './standing.ts'

// Seed 004's bookkeeping on PostgreSQL. Opening makes a board that is not there, and never changes one that is: with
// many hosts that would be an outage. `aiswarm db migrate` does that, and a changed script is run again only by name.

interface Migrating {
  readonly server: Server
  readonly schema: string
  readonly place: string
  /** The folder of the scripts. */
  readonly folder: string
  /** The version of this program. */
  readonly version?: string | undefined
}

/** The rights of this program on a board, by the scripts that the board has. */
export interface Standing {
  /** The number of the newest script. */
  readonly script: number
  /** Why this program must not write: a newer one has migrated the board. */
  readonly newer: Refusal | undefined
}

/** Makes the schema and the board if there is none, unless it must be there; otherwise as `judged`. */
export const prepare = async (migrating: Migrating, isThere: boolean): Promise<Standing> => {
  const found = await judged(migrating)
  if (found) return found
  if (isThere) throw noBoard(migrating.place)
  await apply(migrating, readScripts(migrating.folder))
  return prepare(migrating, isThere)
}

/**
 * Refuses a schema that is not a board, one that has moved, and one that is older than the program. One that is newer is
 * read, unless its scripts forbid that. Undefined if there is none.
 */
export const judged = async (migrating: Migrating): Promise<Standing | undefined> => {
  const { schema, place, folder } = migrating
  const scripts = readScripts(folder)
  const rows = await withSession(migrating, (session) => historyIn(session, migrating))
  if (rows === 'missing') return undefined
  if (rows === 'foreign')
    throw new Refusal(
      'database_foreign',
      `The schema ${schema} at ${place} holds tables, but no board of aiswarm. Name another schema in .aiswarm/store.yaml.`,
    )
  const pending = scripts.filter(({ name }) => rows.get(name)?.success !== 1)
  const known = new Set(scripts.map(({ name }) => name))
  const unknown = [...rows.keys()].filter((name) => !known.has(name)).sort()
  if (pending.length > 0 && unknown.length === 0)
    throw new Refusal(
      'database_older',
      `The board at ${place} was made by an older aiswarm (${pending.map(({ name }) => name).join(', ')} is missing). Its owner runs 'aiswarm db migrate'.`,
    )
  const marks = await withSession(migrating, (session) => marksOf(session, schema))
  if (marks.moved !== null) throw movedTo(place, marks.moved)
  const newer = unknown.length === 0 ? undefined : newerBoard(migrating, unknown, marks)
  if (newer && marks.reader !== null) throw newer
  return { script: Math.max(...[...rows.values()].map(({ id }) => id)), newer }
}

/**
 * True if there is a board, or something else, in the schema, which opening judges. Refuses if there is none, and this
 * login could not make one.
 */
export const isFilled = (migrating: Pick<Migrating, 'server' | 'schema' | 'place'>): Promise<boolean> =>
  withSession(migrating, async (session) => {
    if ((await historyIn(session, migrating)) !== 'missing') return true
    await refuseMaking(session, migrating)
    return false
  })

interface Marks {
  readonly moved: string | null
  readonly program: string | null
  readonly reader: string | null
}

const marksOf = async (session: Session, schema: string): Promise<Marks> => {
  const { rows } = await session.query<Marks>(
    `SELECT moved_to AS moved, min_program AS program, min_reader AS reader FROM ${escapeIdentifier(schema)}.board`,
    [],
  )
  return rows[0]!
}

const newerBoard = ({ place, version }: Migrating, unknown: readonly string[], { program, reader }: Marks): Refusal => {
  const own = version ? `aiswarm ${version}` : 'This aiswarm'
  return new Refusal(
    'database_newer',
    `The board at ${place} was migrated by a newer aiswarm (it has ${unknown.join(', ')}). ${own} ${reader === null ? 'only reads it' : 'cannot read it'}; update it on this machine${program === null ? '' : ` to ${reader ?? program} or newer`}.`,
  )
}

/** Applies the scripts that are missing, and those in `again`, which have changed since they were applied. */
export const migrateBoard = async (migrating: Migrating, again: readonly string[] = []): Promise<void> => {
  const scripts = readScripts(migrating.folder)
  const stranger = again.find((name) => !scripts.some((script) => script.name === name))
  if (stranger !== undefined)
    throw new Refusal(
      'not_found',
      `There is no script ${stranger}. The scripts are ${scripts.map(({ name }) => name).join(', ')}.`,
    )
  const rows = await withSession(migrating, (session) => historyOf(session, migrating.schema))
  const applied = rows instanceof Map ? rows : new Map<string, HistoryRow>()
  const same = again.find((name) => {
    const row = applied.get(name)
    return row?.success === 1 && row.script_hash === scripts.find((script) => script.name === name)!.hash
  })
  if (same !== undefined)
    throw new Refusal(
      'invalid_state',
      `${same} is applied at ${migrating.place} as it is now, so it is not run again. Nothing was changed.`,
    )
  await apply(
    migrating,
    scripts.filter(({ name }) => applied.get(name)?.success !== 1 || again.includes(name)),
  )
}

/** Every script with its state in the history. */
export const statesOf = async (
  session: Session,
  { schema, folder }: Pick<Migrating, 'schema' | 'folder'>,
): Promise<readonly MigrationState[]> => {
  const rows = await historyOf(session, schema)
  return readScripts(folder).map(({ name, hash }) => {
    const row = rows instanceof Map ? rows.get(name) : undefined
    if (!row) return { name, state: 'pending' }
    if (row.success !== 1) return { name, state: 'failed' }
    return { name, state: row.script_hash === hash ? 'applied' : 'changed' }
  })
}

const apply = async (migrating: Migrating, scripts: readonly Script[]): Promise<void> => {
  for (const script of scripts) await withSession(migrating, (session) => applyOne(migrating, session, script))
  const { schema, version } = migrating
  if (scripts.length > 0 && version)
    await withSession(migrating, (session) =>
      session.query(`UPDATE ${escapeIdentifier(schema)}.board SET min_program = $1`, [version]),
    )
}

/** One transaction for each script; of two processes the second waits, and finds it done. */
const applyOne = async ({ schema, place }: Migrating, session: Session, script: Script): Promise<void> => {
  const quoted = escapeIdentifier(schema)
  const began = performance.now()
  await session.script(`BEGIN; SELECT pg_advisory_xact_lock(${lockOf(schema)})`)
  try {
    // IF NOT EXISTS asks for the right to create one even where an administrator has made it for this user.
    if (!(await hasSchema(session, schema))) {
      await refuseMoreBoards(session)
      await session.script(`CREATE SCHEMA ${quoted}`)
    }
    await session.script(`SET LOCAL search_path TO ${quoted}`)
    const rows = await historyOf(session, schema)
    const row = rows instanceof Map ? rows.get(script.name) : undefined
    if (row?.success === 1 && row.script_hash === script.hash) return await session.script('COMMIT').then(() => {})
    await session.script(script.sql)
    await record(session, script, Math.round(performance.now() - began), row)
    await session.script('COMMIT')
  } catch (error) {
    await session.script('ROLLBACK').catch(() => {})
    const explained = (await whyNotMade(session, { schema, place }, error)) ?? explain(error, place)
    if (explained instanceof Refusal) throw explained
    throw new Refusal(
      'migration_failed',
      `Migration ${script.name} failed at ${place} and was rolled back: ${(error as Error).message}. Nothing was changed.`,
      { cause: error },
    )
  }
}

const hasSchema = async (session: Session, schema: string): Promise<boolean> =>
  (await session.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema])).rows.length > 0

const record = async (
  session: Session,
  script: Script,
  took: number,
  before: HistoryRow | undefined,
): Promise<void> => {
  const now = instant(Date.now())
  await session.query(
    `INSERT INTO migration_audit (migration_name, script_hash, applied_at, execution_time_ms, success, reason, replaced_at)
     SELECT migration_name, script_hash, applied_at, execution_time_ms, success, reason, $1 FROM migration_history WHERE migration_name = $2`,
    [now, script.name],
  )
  await session.query(
    `INSERT INTO migration_history (migration_name, script_hash, applied_at, execution_time_ms, success, reason) VALUES ($1, $2, $3, $4, 1, $5)
     ON CONFLICT (migration_name) DO UPDATE SET script_hash = excluded.script_hash, applied_at = excluded.applied_at,
       execution_time_ms = excluded.execution_time_ms, success = 1, reason = excluded.reason`,
    [script.name, script.hash, now, took, before ? 'Script modified' : 'New migration'],
  )
}

const withSession = async <T>(
  { server, place }: Pick<Migrating, 'server' | 'place'>,
  work: (session: Session) => Promise<T>,
): Promise<T> => {
  let broken = true
  const session = await server.connect().catch((error: unknown) => {
    throw explain(error, place)
  })
  try {
    const result = await work(session)
    broken = false
    return result
  } catch (error) {
    throw explain(error, place)
  } finally {
    session.release(broken)
  }
}
