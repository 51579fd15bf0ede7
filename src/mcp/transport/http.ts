import { randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { hashToken } from '../../operations/perform/token.ts'
import { ENDS, idNear, LONGEST_MESSAGE, problem, readMessage } from '../protocol/messages.ts'
import { createServer } from '../server/server.ts'

interface HttpOptions {
  /** 0 for any. */
  readonly port: number
  readonly version: string
  readonly token: string
  /** The connection of callers with the token. */
  readonly connection: Connection
  readonly report: (sentence: string) => void
  readonly listening: (url: string) => void
  readonly signal: AbortSignal
}

/** A person does not start more clients at once. */
const MOST_SESSIONS = 64

/** Serves MCP over Streamable HTTP on the loopback, to callers with the token, until the signal aborts. */
export const serveHttp = async (options: HttpOptions): Promise<void> => {
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const ended = new AbortController()
  const http = createHttpServer({ requestTimeout: 60_000, headersTimeout: 10_000 }, (request, response) => {
    answer(request, response, options, sessions, ended.signal).catch((error: unknown) => {
      options.report(error instanceof Error ? (error.stack ?? error.message) : String(error))
      if (!response.headersSent) refuse(response, 500, -32603, 'This is a bug in aiswarm.')
    })
  })
  await new Promise<void>((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => reject(whyNoPort(error, options.port)))
    http.listen(options.port, '127.0.0.1', resolve)
  })
  options.listening(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`)
  await aborted(options.signal)
  ended.abort()
  await Promise.allSettled([...sessions.values()].map((transport) => transport.close()))
  http.closeAllConnections()
  await new Promise((resolve) => http.close(resolve))
}

const whyNoPort = (error: NodeJS.ErrnoException, port: number): Error =>
  error.code === 'EADDRINUSE' || error.code === 'EACCES'
    ? new Refusal('invalid_input', `Port ${port} cannot be used (${error.code}). Choose another, or 0 for any.`)
    : error

const answer = async (
  request: IncomingMessage,
  response: ServerResponse,
  options: HttpOptions,
  sessions: Map<string, StreamableHTTPServerTransport>,
  signal: AbortSignal,
): Promise<void> => {
  const why = whyNot(request, options.token)
  if (why) return refuse(response, why.status, -32000, why.sentence)
  const body = request.method === 'POST' ? await bodyOf(request, response) : undefined
  if (request.method === 'POST' && body === undefined) return
  const id = request.headers['mcp-session-id']
  const known = typeof id === 'string' ? sessions.get(id) : undefined
  if (known) return known.handleRequest(request, response, body)
  if (id !== undefined)
    return refuse(response, 404, -32001, 'The session does not exist or has ended. Initialize a new one.')
  if (sessions.size >= MOST_SESSIONS)
    return refuse(response, 503, -32000, `More than ${MOST_SESSIONS} clients. Close one.`)
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (session) => void sessions.set(session, transport),
    onsessionclosed: (session) => void sessions.delete(session),
  })
  const { server } = createServer({
    connection: options.connection,
    version: options.version,
    report: options.report,
    signal,
  })
  await server.connect(transport)
  await transport.handleRequest(request, response, body)
}

/** The message of a request; undefined if it was refused. */
const bodyOf = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length
    pieces.push(piece)
    if (length > LONGEST_MESSAGE) {
      return void refuse(
        response,
        413,
        -32600,
        `A message may have at most ${LONGEST_MESSAGE} bytes.`,
        idNear(Buffer.concat(pieces).toString('utf8', 0, ENDS), ''),
      )
    }
  }
  const read = readMessage(Buffer.concat(pieces).toString('utf8'))
  if ('message' in read) return read.message
  refuse(response, 400, read.problem.error.code, read.problem.error.message)
  return undefined
}

const refuse = (
  response: ServerResponse,
  status: number,
  code: number,
  message: string,
  id: string | number | null = null,
): void => {
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(status === 401 ? { 'www-authenticate': `Bearer error="invalid_token", error_description="${message}"` } : {}),
    ...(status === 413 ? { connection: 'close' } : {}),
  })
  response.end(JSON.stringify(problem(code, message, id)))
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }),
  )

/** Accepts only local programs with the token; a page in a browser has another Origin, a rebound name another Host. */
const whyNot = ({ headers, url }: IncomingMessage, token: string): { status: number; sentence: string } | undefined => {
  if (!isLoopback(headers.host))
    return { status: 403, sentence: 'Only the loopback is served; the Host header names another host.' }
  if (headers.origin !== undefined && !isLoopback(originHost(headers.origin)))
    return { status: 403, sentence: 'Requests from other sites are not served.' }
  if (!/^\/mcp\/?(\?|$)/.test(url ?? '')) return { status: 404, sentence: 'The server is at /mcp.' }
  const given = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
  if (!timingSafeEqual(Buffer.from(hashToken(given)), Buffer.from(hashToken(token))))
    return {
      status: 401,
      sentence: `The bearer token is ${given === '' ? 'missing' : 'wrong'}. 'aiswarm mcp --http' prints it when it starts; AISWARM_MCP_TOKEN sets a fixed one.`,
    }
  return undefined
}

const isLoopback = (host: string | undefined): boolean =>
  /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i.test(host ?? '')

const originHost = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined)
