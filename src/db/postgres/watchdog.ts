import { Client, type ClientConfig, type PoolClient } from 'pg'

// A network that drops packets answers nothing: the kernel would repeat an unanswered statement for a quarter of an hour,
// less and less often, long after the network is back. A statement may rightly take that long, so the server is asked over
// another connection whether it works on it.

/** How long a statement may take before the server is asked (ms), and the time between two questions. */
const PATIENCE = 10_000
const AGAIN = 3000

/** Runs a statement; breaks its connection if the server cannot be reached, or has twice not been working on the statement. */
export const watched = async <T>(
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
export const broken = (client: PoolClient): void => {
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
