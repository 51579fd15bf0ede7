import { escapeIdentifier } from 'pg'
import { type Refusal, StoreRefusal } from '../../domain/rules/refusal.ts'
import { isWithoutRight, isWithoutTables } from './explain.ts'
import type { Session } from './server.ts'

// To a login that may not use a schema, the server reports that there are no tables. Its catalogue, which every login may
// read, tells the truth.

export interface HistoryRow {
  readonly id: number
  readonly migration_name: string
  readonly script_hash: string
  readonly success: number
}

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
export const whyNotMade = async (session: Session, at: Place, error: unknown): Promise<Refusal | undefined> => {
  const rights = await rightsIfMissing(session, at, error)
  return rights === undefined || mayMake(rights) ? undefined : notAllowed(rights, at, error)
}

/** Refuses a login that could not make a board in the schema, which is empty or not there. */
export const refuseMaking = async (session: Session, at: Place): Promise<void> => {
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

/** As `historyOf`; a login without the rights reads which ones it needs. */
export const historyIn = async (session: Session, at: Place) => {
  try {
    return await historyOf(session, at.schema)
  } catch (error) {
    throw (await whyNotUsed(session, at, error)) ?? error
  }
}

/** A role without rights sees the tables too, so that it is refused and does not make a board over another one. */
export const historyOf = async (
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
