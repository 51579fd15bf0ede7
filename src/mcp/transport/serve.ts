import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { heartbeat } from '../../operations/agents/heartbeat.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import { createServer } from '../server/server.ts'
import { StdioTransport } from './stdio.ts'

/** How long running calls may take to end after the client has disconnected (ms). */
const LAST_CALLS = 3000

interface Served {
  readonly version: string
  readonly input: Readable
  readonly output: Writable
  readonly signal: AbortSignal
  readonly report: (sentence: string) => void
  /** False for an agent whose process is watched by this one. */
  readonly beats?: boolean
}

/** Serves one client on a pair of streams until it disconnects or the signal aborts. */
export const serveStreams = async (
  connection: Connection,
  { version, input, output, signal, report, beats: sends = true }: Served,
): Promise<void> => {
  const ended = new AbortController()
  const { server, underway } = createServer({ connection, version, report, signal: ended.signal })
  const beats = sends ? beat(connection) : undefined
  const closed = new Promise<void>((resolve) => (server.onclose = resolve))
  const stop = (): void => void server.close()
  signal.addEventListener('abort', stop, { once: true })
  await server.connect(new StdioTransport(input, output))
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
