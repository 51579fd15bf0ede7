import { setTimeout as sleep } from 'node:timers/promises'
import { heartbeat } from '../../operations/agents/heartbeat.ts'
import type { Connection } from '../../contracts/outside.ts'
import { perform } from '../../operations/door/perform.ts'
import { createServer } from '../server/server.ts'
import { StdioTransport } from './stdio.ts'

/** How long running calls may take to end after the client has disconnected (ms). */
const LAST_CALLS = 3000

/** Serves one client on standard input and output until it disconnects or the signal aborts. */
export const serveStdio = async (
  connection: Connection,
  {
    version,
    output,
    signal,
    report,
  }: {
    readonly version: string
    readonly output: NodeJS.WriteStream
    readonly signal: AbortSignal
    readonly report: (sentence: string) => void
  },
): Promise<void> => {
  const ended = new AbortController()
  const { server, underway } = createServer({ connection, version, report, signal: ended.signal })
  const beats = beat(connection)
  const closed = new Promise<void>((resolve) => (server.onclose = resolve))
  const stop = (): void => void server.close()
  signal.addEventListener('abort', stop, { once: true })
  await server.connect(new StdioTransport(process.stdin, output))
  if (signal.aborted) stop()
  await closed
  clearInterval(beats)
  ended.abort()
  // The client's last calls are completed, although it no longer receives the answers.
  await Promise.race([Promise.allSettled(underway), sleep(LAST_CALLS, undefined, { ref: false })])
}

/** Sends heartbeats while the server runs, so that its agent keeps its leases; an ended token stops them. */
const beat = ({ core, actor }: Connection): NodeJS.Timeout | undefined =>
  actor.kind === 'agent'
    ? setInterval(() => void perform(core, heartbeat, {}, actor).catch(() => {}), core.settings.lease.heartbeat).unref()
    : undefined
