import { escapeIdentifier } from 'pg'
import { mostOf, refuseBeyond } from '../../domain/rules/capacity.ts'
import { Refusal, StoreRefusal } from '../../domain/rules/refusal.ts'
import { instant } from '../../domain/words/time.ts'
import { readScripts, type Script } from '../engine/migration-scripts.ts'
import type { MigrationState } from '../engine/store.ts'
import { explain, isWithoutRight, isWithoutTables, movedTo, noBoard } from './errors.ts'
import type { Server, Session } from './server.ts'
import { lockOf, type Standing } from './transaction.ts'

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

/** Refuses one more board in the database than it is made for. Boards in schemas with names of their own are not counted. */
const refuseMoreBoards = async (session: Session): Promise<void> => {
  const { rows } = await session.query(
    "SELECT nspname FROM pg_namespace JOIN pg_class ON relnamespace = pg_namespace.oid WHERE relname = 'migration_history' AND nspname ~ '^aiswarm_'",
    [],
  )
  refuseBeyond(
    rows.length,
    mostOf.boards,
    'boards in this database',
    "Use another database of the server ('createdb'), or remove a schema that is not used any more.",
  )
}

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

/** As `historyOf`; a login without the rights reads which ones it needs. */
const historyIn = async (session: Session, at: Place) => {
  try {
    return await historyOf(session, at.schema)
  } catch (error) {
    throw (await whyNotUsed(session, at, error)) ?? error
  }
}

interface HistoryRow {
  readonly id: number
  readonly migration_name: string
  readonly script_hash: string
  readonly success: number
}

/** A role without rights sees the tables too, so that it is refused and does not make a board over another one. */
const historyOf = async (
  session: Session,
  schema: string,
): Promise<Map<string, HistoryRow> | 'missing' | 'foreign'> => {
  const { rows: tables } = await session.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1 AND relkind IN ('r', 'p', 'v', 'f')",
    [schema],
  )
  if (tables.length === 0) return 'missing'
  if (!tables.some(({ name }) => name === 'migration_history')) return 'foreign'
  const { rows } = await session.query<HistoryRow>(
    `SELECT id, migration_name, script_hash, success FROM ${escapeIdentifier(schema)}.migration_history`,
    [],
  )
  return new Map(rows.map((row) => [row.migration_name, row]))
}

// To a login that may not use a schema, the server reports that there are no tables. Its catalogue, which every login may
// read, tells the truth.

interface Rights {
  readonly login: string
  readonly database: string
  /** Who made the board, otherwise the schema; null if there is neither. */
  readonly owner: string | null
  readonly tables: number
  readonly uses: boolean
  /** In the schema if there is one, otherwise schemas. */
  readonly creates: boolean
}

const rightsIn = async (session: Session, schema: string): Promise<Rights> => {
  const { rows } = await session.query<Rights>(
    `SELECT current_user::text AS login, current_database()::text AS database,
       COALESCE((SELECT min(pg_get_userbyid(relowner)::text) FROM pg_class WHERE relnamespace = pg_namespace.oid AND relname = 'migration_history'),
         pg_get_userbyid(nspowner)::text) AS owner,
       (SELECT count(*) FROM pg_class WHERE relnamespace = pg_namespace.oid AND relkind IN ('r', 'p', 'v', 'f')) AS tables,
       COALESCE(has_schema_privilege(pg_namespace.oid, 'USAGE'), false) AS uses,
       COALESCE(has_schema_privilege(pg_namespace.oid, 'CREATE'), has_database_privilege(current_database(), 'CREATE')) AS creates
     FROM (SELECT 1) AS one LEFT JOIN pg_namespace ON nspname = $1`,
    [schema],
  )
  return rows[0]!
}

interface Place {
  readonly schema: string
  /** The address without secrets. */
  readonly place: string
}

/** Why this login cannot use what is in the schema, with what to do; undefined if the error has another reason. */
const whyNotUsed = async (session: Session, at: Place, error: unknown): Promise<Refusal | undefined> => {
  const rights = await rightsIfMissing(session, at, error)
  return rights && notAllowed(rights, at, error)
}

/** Why this login cannot make a board in the schema, with what to do; undefined if the error has another reason. */
const whyNotMade = async (session: Session, at: Place, error: unknown): Promise<Refusal | undefined> => {
  const rights = await rightsIfMissing(session, at, error)
  return rights === undefined || mayMake(rights) ? undefined : notAllowed(rights, at, error)
}

/** Refuses a login that could not make a board in the schema, which is empty or not there. */
const refuseMaking = async (session: Session, at: Place): Promise<void> => {
  const rights = await rightsIn(session, at.schema)
  if (!mayMake(rights)) throw notAllowed(rights, at)
}

const rightsIfMissing = async (session: Session, { schema }: Place, error: unknown): Promise<Rights | undefined> =>
  isWithoutRight(error) || isWithoutTables(error) ? rightsIn(session, schema).catch(() => undefined) : undefined

/** Only the role that made a board changes it. */
const mayMake = ({ owner, tables, uses, creates }: Rights): boolean =>
  tables > 0 || (creates && (owner === null || uses))

const notAllowed = (rights: Rights, { schema, place }: Place, error?: unknown): Refusal => {
  const said = error instanceof Error ? ` (${error.message})` : ''
  return new StoreRefusal('not_allowed', `PostgreSQL at ${place} does not allow it${said}: ${remedy(rights, schema)}`, {
    cause: error,
  })
}

const remedy = ({ login, database, owner, tables }: Rights, schema: string): string => {
  const [within, to] = [`SCHEMA ${escapeIdentifier(schema)}`, `TO ${escapeIdentifier(login)}`]
  if (owner === null)
    return `there is no schema ${schema}, and ${login} may not create one. Ask the owner of the database for the right: GRANT CREATE ON DATABASE ${escapeIdentifier(database)} ${to}`
  if (tables === 0)
    return `the schema ${schema} is empty, and ${login} may not create a board in it. Ask its owner, ${owner}, for the right: GRANT USAGE, CREATE ON ${within} ${to}`
  return `the board is there, and ${login} may not use it. Ask its owner, ${owner}, for the rights: GRANT USAGE ON ${within} ${to}; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN ${within} ${to}; GRANT USAGE, UPDATE ON ALL SEQUENCES IN ${within} ${to}`
}
