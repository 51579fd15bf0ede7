import { appendFileSync, rmSync } from 'node:fs'
import { lookup } from 'node:dns/promises'
import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connect, isIP, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { allowing, hostPattern, isLocalAddress, refusedWords } from '../../domain/sandbox/allowlist.ts'
import { PROXY } from './entry.ts'
import { refusedPath } from './network.ts'

// The proxy of a sandbox without a network of its own: it connects to listed hosts only. It resolves names itself, so
// that the program inside needs no name server, and a name cannot lead to an address of this machine.

interface Endpoint {
  readonly host: string
  readonly port: number
}

/** The hosts that a proxy connects to, and who learns of the others. */
interface Filter {
  readonly hosts: readonly string[]
  /** Called for each refused connection. */
  readonly refused: (sentence: string, endpoint: Endpoint) => void
}

/** The proxy of one start, on a socket in a folder that is visible inside. `say` gets each refused host once. */
export const serveProxy = (
  folder: string,
  hosts: readonly string[],
  record: { readonly root: string; readonly who: string },
  say: (sentence: string) => void,
): (() => void) => {
  const known = new Set<string>()
  const server = makeProxy({
    hosts,
    refused: (sentence, { host, port }) => {
      const name = `${host}:${port}`
      if (known.has(name) || known.size >= MOST || !hostPattern.test(host)) return
      known.add(name)
      say(sentence)
      appendFileSync(refusedPath(record.root), `${record.who} ${name}\n`, { mode: 0o600 })
    },
  })
  const path = join(folder, PROXY)
  rmSync(path, { force: true })
  // The path of a socket has at most 107 bytes. It is bound before the next line runs.
  const cwd = process.cwd()
  process.chdir(folder)
  server.listen(PROXY)
  process.chdir(cwd)
  return () => server.close()
}

/** Refused hosts of one start that are recorded. */
const MOST = 100

/** A server that is not listening yet. */
const makeProxy = (filter: Filter): Server => {
  const server = createServer((request, response) => void forward(filter, request, response))
  server.on(
    'connect',
    (request: IncomingMessage, socket: Duplex, head: Buffer) => void tunnel(filter, request, socket, head),
  )
  server.on('clientError', (_, socket) => socket.destroy())
  return server
}

/** The address to connect to, or the sentence that refuses it. */
const addressOf = async (
  filter: Filter,
  endpoint: Endpoint,
): Promise<{ readonly address: string } | { readonly why: string }> => {
  const { host, port } = endpoint
  const allowed = allowing(endpoint, filter.hosts)
  if (allowed === undefined) {
    const why = refusedWords(host, port)
    filter.refused(why, endpoint)
    return { why }
  }
  try {
    const address = isIP(host) ? host : (await lookup(host)).address
    if (allowed.exact || !isLocalAddress(address)) return { address }
    const why = `aiswarm: ${host} has the address ${address} of this machine or its network; list it with its port, as ${host}:${port}, to allow that`
    filter.refused(why, endpoint)
    return { why }
  } catch (error) {
    return { why: `aiswarm: ${host} was not found: ${error instanceof Error ? error.message : String(error)}` }
  }
}

/** CONNECT, for everything that is encrypted. */
const tunnel = async (filter: Filter, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
  socket.on('error', () => socket.destroy())
  const endpoint = endpointOf(request.url ?? '', 443)
  const found =
    endpoint === undefined ? { why: 'aiswarm: CONNECT needs a host and a port' } : await addressOf(filter, endpoint)
  if ('why' in found) {
    const body = `${found.why}\n`
    return void socket.end(
      `HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    )
  }
  const upstream: Socket = connect(endpoint!.port, found.address)
  upstream.once('connect', () => {
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    upstream.write(head)
    upstream.pipe(socket)
    socket.pipe(upstream)
  })
  upstream.once('error', () => socket.destroy())
  upstream.once('close', () => socket.destroy())
  socket.once('close', () => upstream.destroy())
}

/** Plain HTTP: the request names the whole address. */
const forward = async (filter: Filter, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = URL.canParse(request.url ?? '') ? new URL(request.url!) : undefined
  if (url?.protocol !== 'http:')
    return void response.writeHead(400).end('aiswarm: only http and CONNECT are forwarded\n')
  const endpoint = { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 80) }
  const found = await addressOf(filter, endpoint)
  if ('why' in found) return void response.writeHead(403, { 'content-type': 'text/plain' }).end(`${found.why}\n`)
  const { 'proxy-connection': _, 'proxy-authorization': __, ...headers } = request.headers
  const upstream = httpRequest(
    {
      host: found.address,
      port: endpoint.port,
      method: request.method,
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host },
      setHost: false,
    },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    },
  )
  upstream.once('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()))
  response.once('close', () => upstream.destroy())
  request.pipe(upstream)
}

/** `host:port`, with brackets around an IPv6 address. */
const endpointOf = (words: string, usual: number): Endpoint | undefined => {
  const [, six, host, port] = /^(?:\[([0-9a-f:.]+)\]|([^:/@\s]+))(?::(\d{1,5}))?$/i.exec(words) ?? []
  const name = six ?? host
  return name === undefined ? undefined : { host: name, port: Number(port ?? usual) }
}
