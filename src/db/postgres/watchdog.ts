import { Client, type ClientConfig, type PoolClient } from 'pg'

// A network that drops packets answers nothing: the kernel would repeat an unanswered statement for a quarter of an hour,
// less and less often, long after the network is back. A statement may rightly take that long, so the server is asked over
// another connection whether it works on it.

/** How long a statement may take before the server is asked (ms), and the time between two questions. */
const PATIENCE = 10_000
const AGAIN = 3000

/** Runs a statement; breaks its connection if the server cannot be reached, or has twice not been working on the statement. */
export const watched = async <T>(client: PoolClient, config: ClientConfig, work: () => Promise<T>): Promise<T> => {
  const { processID } = client as unknown as { processID: number | null }
  let over = false
  let idle = 0
  let timer: NodeJS.Timeout | undefined
  const later = (ms: number): void => {
    timer = setTimeout(() => void look(), ms)
    timer.unref()
  }
  const look = async (): Promise<void> => {
    const state = await stateOf(config, processID)
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

/** Whether the server works for a connection, by its process there. */
const stateOf = async (config: ClientConfig, pid: number | null): Promise<'active' | 'idle' | 'unreachable'> => {
  const client = new Client({ ...config, query_timeout: AGAIN })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ state: string }>('SELECT state FROM pg_stat_activity WHERE pid = $1', [pid])
    return rows[0]?.state === 'active' ? 'active' : 'idle'
  } catch {
    return 'unreachable'
  } finally {
    void client.end().catch(() => {})
  }
}
