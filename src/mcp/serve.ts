import { setTimeout as sleep } from 'node:timers/promises'
import { heartbeat } from '../operations/heartbeat.ts'
import type { Connection } from '../operations/kernel/outside.ts'
import { perform } from '../operations/kernel/perform.ts'
import { createServer } from './server.ts'
import { StdioTransport } from './stdio.ts'

/** How long calls that are under way may take to end after the client went away (ms). */
const LAST_CALLS = 3000

/** Serves one client on standard input and output until it goes away or the signal aborts. */
export const serveStdio = async (
  connection: Connection,
  { version, output, signal, report }: { readonly version: string; readonly output: NodeJS.WriteStream; readonly signal: AbortSignal; readonly report: (sentence: string) => void },
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
  // What the client asked for last is still done, though nobody hears the answer.
  await Promise.race([Promise.allSettled(underway), sleep(LAST_CALLS, undefined, { ref: false })])
}

/** While its server lives an agent does, and keeps its leases; ended tokens end that by themselves. */
const beat = ({ core, actor }: Connection): NodeJS.Timeout | undefined =>
  actor.kind === 'agent' ? setInterval(() => void perform(core, heartbeat, {}, actor).catch(() => {}), core.settings.lease.heartbeat).unref() : undefined
