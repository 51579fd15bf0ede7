import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import { readMetrics } from '../../operations/screens/metrics.ts'
import { metricsContentType, metricsText } from './metrics.ts'

const address = '127.0.0.1'

/**
 * Serves `/metrics` on loopback until the signal aborts; `listening` receives the address. Port 0 selects a free one. A
 * request whose Host header is another name is refused, so that a web page cannot read the metrics through DNS.
 */
export const serveMetrics = async (
  { core, actor }: Pick<Connection, 'core' | 'actor'>,
  { port, listening, signal }: ServeOptions,
): Promise<void> => {
  const text = async (): Promise<string> => metricsText(await perform(core, readMetrics, {}, actor))
  const server = createServer((request, response) => {
    answer(request, text).then(
      ({ status, body, type = 'text/plain; charset=utf-8' }) => send(request, response, status, body, type),
      (error: unknown) =>
        send(
          request,
          response,
          500,
          `${error instanceof Error ? error.message : String(error)}\n`,
          'text/plain; charset=utf-8',
        ),
    )
  })
  await listen(server, port)
  listening(`http://${address}:${(server.address() as AddressInfo).port}/metrics`)
  await new Promise<void>((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }),
  )
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

interface ServeOptions {
  readonly port: number
  readonly listening: (url: string) => void
  readonly signal: AbortSignal
}

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'is already in use' : `cannot be used (${error.code ?? error.message})`
      reject(
        new Refusal('invalid_state', `Port ${port} of ${address} ${why}; name another, or 0 for a free one.`, {
          cause: error,
        }),
      )
    })
    server.listen(port, address, resolve)
  })

const answer = async (
  request: IncomingMessage,
  text: () => Promise<string>,
): Promise<{ status: number; body: string; type?: string }> => {
  if (!isLoopback(request.headers.host)) return { status: 403, body: 'Only loopback hosts are allowed.\n' }
  if (request.url?.split('?')[0] !== '/metrics') return { status: 404, body: 'Only /metrics exists.\n' }
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return { status: 405, body: 'Only GET and HEAD are allowed.\n' }
  return { status: 200, body: await text(), type: metricsContentType }
}

const isLoopback = (host: string | undefined): boolean =>
  host !== undefined && /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host)

const send = (request: IncomingMessage, response: ServerResponse, status: number, body: string, type: string): void => {
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'X-Content-Type-Options': 'nosniff',
    ...(status === 405 ? { Allow: 'GET, HEAD' } : {}),
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}
