import { Client, type ClientConfig, escapeIdentifier, escapeLiteral, Pool, type PoolClient, types } from 'pg'
import type { StoreAddress } from '../../contracts/board-store.ts'
import { together } from '../engine/db.ts'
import { clientConfig } from './address.ts'
import { type Asked, Batch, type Described, type Result } from './batch.ts'
import { parsers } from './dialect.ts'

/** One connection, lent for a while. What is asked at once is sent at once, and answered in its order. */
export interface Session {
  /** Names the time between two crashes of the server in which the connection began (see `LIFE`). */
  readonly life?: string
  query<Row>(sql: string, parameters: readonly unknown[]): Promise<Result<Row>>
  /** Several statements in one message, without parameters. Returns the rows of the last. */
  script<Row>(sql: string): Promise<readonly Row[]>
  /** Gives the connection back; a broken one is not used again. */
  release(broken?: boolean): void
}

/** A connection that hears what others notify. */
export interface Ear {
  /** True while the connection stands. */
  readonly alive: () => boolean
  close(): void
}

/** The clock of the server at a moment of this machine's monotonic clock (ms). */
export interface ClockRead {
  readonly server: number
  readonly here: number
}

/** A server of PostgreSQL as the store uses it; tests put another program in its place. */
export interface Server {
  connect(): Promise<Session>
  /** Its clock as the newest connection has read it; undefined before there is one. */
  readonly clock?: () => ClockRead | undefined
  /** Gives the connections of this process a name that the server shows. */
  readonly name?: (name: string) => void
  /** Hears a channel; `heard` gets what was notified. Missing if the program has one connection only. */
  readonly listen?: (channel: string, heard: (payload: string) => void) => Promise<Ear>
  end(): Promise<void>
}

/** The most connections of a process; one more hears. */
const MOST = 5

/** How long an unused connection stays open (ms). */
const IDLE = 60_000

/** The server at an address. Every connection works in the schema of the board. */
export const serverAt = (address: StoreAddress): Server => {
  const config = {
    ...clientConfig(address),
    types: { getTypeParser: readOf as typeof types.getTypeParser },
  }
  const path = `search_path TO ${escapeIdentifier(address.schema)}`
  // An idle connection must not keep the program alive.
  const pool = new Pool({ ...config, pipeline: true, max: MOST, idleTimeoutMillis: IDLE, allowExitOnIdle: true })
  // A connection that breaks while it is idle is replaced by the next one. One that is lent says so at its next
  // statement; between two statements the pool does not listen to it, and an error without a listener ends the program.
  pool.on('error', () => {}).on('connect', (client) => void client.on('error', () => {}))
  const ways = new WeakMap<object, Way>()
  const called = new WeakMap<object, string>()
  let name = config.application_name
  const names = new Names()
  let clock: ClockRead | undefined
  return {
    clock: () => clock,
    connect: async () => {
      // Asked before, since a command may take longer than a connection.
      if (pool.idleCount === 0) await address.password?.()
      const client = await pool.connect()
      let way = ways.get(client)
      if (way === undefined) {
        try {
          const found = await wayOf(client, path)
          ;[way, clock] = [found.way, found.clock]
        } catch (error) {
          client.release(true)
          throw error
        }
        ways.set(client, way)
      }
      const watch: Watch = (work) => watched(client, config, way.kind, work)
      if (way.kind === 'direct' && (called.get(client) ?? config.application_name) !== name) {
        called.set(client, name!)
        client.query(`SET application_name TO ${escapeLiteral(name!)}`).catch(() => {})
      }
      return way.kind === 'direct' ? sessionOf(client, way, watch, names) : pooled(sessionOf(client, way, watch), path)
    },
    name: (given) => void (name = given),
    listen: async (channel, heard) => {
      await address.password?.()
      return earAt({ ...config, application_name: name }, channel, heard)
    },
    end: () => pool.end(),
  }
}

/** How a value of a type of the server is read. */
const readOf = (type: number): ((text: string) => unknown) =>
  parsers[type] ?? (types.getTypeParser(type) as (text: string) => unknown)

/** A connection of its own that hears a channel. */
const earAt = async (config: ClientConfig, channel: string, heard: (payload: string) => void): Promise<Ear> => {
  const client = new Client(config)
  let alive = true
  const lost = (): void => void (alive = false)
  client.on('error', lost).on('end', lost)
  client.on('notification', ({ payload }) => heard(payload ?? ''))
  await client.connect()
  ;(client as unknown as { connection: { stream: { unref?(): void } } }).connection.stream.unref?.()
  try {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    // Through a pooler nothing is heard here, and others would hear it instead.
    if (isOwnProcess(client, rows[0]!.pid)) await client.query(`LISTEN ${escapeIdentifier(channel)}`)
  } catch (error) {
    // It is asked for again every few seconds, and each connection would stay open.
    void client.end().catch(() => {})
    throw error
  }
  return { alive: () => alive, close: () => void client.end().catch(() => {}) }
}

/** The most statements that stay prepared on a connection; lists of many lengths make many statements. */
const MOST_PREPARED = 400

/** Names for statements, by which a connection finds them prepared. */
class Names {
  readonly #names = new Map<string, string>()

  /** The name of a statement; undefined if it is not kept. */
  of(sql: string): string | undefined {
    const known = this.#names.get(sql)
    if (known !== undefined || this.#names.size >= MOST_PREPARED) return known
    const name = `aiswarm_${this.#names.size}`
    this.#names.set(sql, name)
    return name
  }
}

/**
 * Reads what is another one after each crash of the server, and on each replica that takes its place: the start of its
 * statistics, which a crash discards. After a crash the server gives the numbers of lost transactions to new ones.
 */
export const LIFE = 'SELECT stats_reset::text FROM pg_stat_bgwriter'

/** A connection to the server itself keeps what is set and prepared on it; a pooler may give each transaction another one. */
interface Way {
  readonly kind: 'direct' | 'pooled'
  readonly life: string
  readonly described: Described
}

/**
 * Has a new connection to the server itself work in the schema. A pooler would hand what is set on to other programs, with
 * the server's connection.
 */
const wayOf = async (client: PoolClient, path: string): Promise<{ readonly way: Way; readonly clock: ClockRead }> => {
  const asked = performance.now()
  const { rows } = await client.query<{ pid: number; life: string; now: number }>(
    `SELECT pg_backend_pid() AS pid, (${LIFE}) AS life, (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`,
  )
  const { pid, life, now } = rows[0]!
  const clock = { server: now, here: (asked + performance.now()) / 2 }
  const kind = isOwnProcess(client, pid) ? 'direct' : 'pooled'
  if (kind === 'direct')
    // The next statement waits for it at the server, not here.
    client
      .query(`SET ${path}; SET idle_in_transaction_session_timeout = '${IDLE_IN_TRANSACTION}'`)
      .catch(() => broken(client))
  return { way: { kind, life, described: new Map() }, clock }
}

/** How long a process that was stopped may keep a transaction open in which it reads. */
const IDLE_IN_TRANSACTION = '60s'

/** A pooler answers with a number of its own as that of the server's process. */
const isOwnProcess = (client: Client | PoolClient, pid: number): boolean =>
  pid === (client as unknown as { processID: number | null }).processID

/** Through a pooler each transaction names the schema, and a statement outside of one gets one; all is sent at once. */
const pooled = (session: Session, path: string): Session => {
  let open = false
  return {
    ...session,
    query: async <Row>(sql: string, parameters: readonly unknown[]) => {
      // A write begins with a function that sets the schema (061_OldPrograms.sql).
      open ||= sql.startsWith('BEGIN')
      if (open) return session.query<Row>(sql, parameters)
      const [, result] = await together(
        session.script(`BEGIN; SET LOCAL ${path}`),
        session.query<Row>(sql, parameters),
        session.script('COMMIT'),
      )
      return result
    },
    script: (sql) => {
      open = sql.startsWith('BEGIN') || (open && !/^(?:COMMIT|ROLLBACK)/.test(sql))
      return session.script(/^BEGIN[^;]*$/.test(sql) ? `${sql}; SET LOCAL ${path}` : sql)
    },
  }
}

/** Sends what is asked in this turn as one piece. */
const gather = (client: PoolClient): void => {
  const { stream } = (client as unknown as { connection: { stream: { cork(): void; uncork(): void } } }).connection
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** Runs a statement under watch. */
type Watch = <T>(work: () => Promise<T>) => Promise<T>

const sessionOf = (client: PoolClient, { life, described }: Way, watch: Watch, names?: Names): Session => {
  let asked: Asked[] = []
  const send = (): void => {
    const now = asked
    asked = []
    if (now.length === 0) return
    watch(() => new Promise<void>((over) => void client.query(new Batch(now, described, readOf, over)))).catch(() => {})
  }
  return {
    life,
    query: <Row>(sql: string, parameters: readonly unknown[]) =>
      new Promise<Result<Row>>((resolve, reject) => {
        if (asked.length === 0) process.nextTick(send)
        asked.push({ sql, parameters, name: names?.of(sql), resolve, reject })
      }),
    script: async <Row>(sql: string) => {
      gather(client)
      send()
      const results: unknown = await watch(() => client.query(sql))
      const last = (Array.isArray(results) ? results.at(-1) : results) as Omit<Result<Row>, 'command'> & {
        readonly command: string
      }
      // The server ends a transaction in which a statement has failed in this way, without an error.
      if (sql === 'COMMIT' && last.command !== 'COMMIT')
        throw new Error('A statement of this write has failed before, so nothing was committed.')
      return last.rows
    },
    release: (broken = false) => client.release(broken),
  }
}

// A network that drops packets answers nothing: the kernel would repeat an unanswered statement for a quarter of an hour,
// less and less often, long after the network is back. A statement may rightly take that long, so the server is asked over
// another connection whether it works on it.

/** How long a statement may take before the server is asked (ms), and the time between two questions. */
const PATIENCE = 10_000
const AGAIN = 3000

/** Runs a statement; breaks its connection if the server cannot be reached, or has twice not been working on the statement. */
const watched = async <T>(
  client: PoolClient,
  config: ClientConfig,
  way: 'direct' | 'pooled',
  work: () => Promise<T>,
): Promise<T> => {
  const { processID } = client as unknown as { processID: number | null }
  const working = way === 'direct' ? ([WORKING, [processID]] as const) : ([SOMEBODY_WORKING, []] as const)
  let over = false
  let idle = 0
  let timer: NodeJS.Timeout | undefined
  const later = (ms: number): void => {
    timer = setTimeout(() => void look(), ms)
    timer.unref()
  }
  const look = async (): Promise<void> => {
    const state = await stateOf(config, working)
    if (over) return
    idle = state === 'active' ? 0 : idle + 1
    if (state === 'unreachable' || idle > 1) return broken(client)
    later(AGAIN)
  }
  later(PATIENCE)
  try {
    return await work()
  } finally {
    over = true
    clearTimeout(timer)
  }
}

/** The statement fails as after any other end of its connection. */
const broken = (client: PoolClient): void => {
  const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } }).connection
  stream.destroy()
}

/** Whether the process of a connection works. */
const WORKING = "SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND state = 'active'"

/**
 * A pooler does not tell which process works for a connection, and one that waits for a process has none. The state of
 * other roles' processes may be hidden.
 */
const SOMEBODY_WORKING = `SELECT 1 FROM pg_stat_activity WHERE backend_type = 'client backend'
  AND datname = current_database() AND pid <> pg_backend_pid() AND state IS DISTINCT FROM 'idle' LIMIT 1`

type State = 'active' | 'idle' | 'unreachable'

/** Whether the server works for a connection; if it answers without saying so, it may. */
const stateOf = async (
  config: ClientConfig,
  [statement, values]: readonly [string, readonly (number | null)[]],
): Promise<State> => {
  const client = new Client({ ...config, query_timeout: AGAIN })
  client.on('error', () => {})
  let connected = false
  try {
    await client.connect()
    connected = true
    return (await client.query(statement, [...values])).rows.length > 0 ? 'active' : 'idle'
  } catch (error) {
    if (connected && values.length === 0) return 'active'
    return stateBy(error)
  } finally {
    void client.end().catch(() => {})
  }
}

/** A server without a free connection answers; one that starts or stops has ended the others. */
const stateBy = (error: unknown): State => {
  const { code, severity } = error as { readonly code?: string; readonly severity?: string }
  if (severity === undefined) return 'unreachable'
  return code?.startsWith('57P') ? 'idle' : 'active'
}
