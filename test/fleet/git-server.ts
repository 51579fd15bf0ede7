import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createServer as createPlain, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createEncrypted } from 'node:https'
import { join } from 'node:path'

// Serves the bare repositories of a folder by `git http-backend`, as a forge does: `node git-server.ts FOLDER ADDRESS PORT
// [KEY CERTIFICATE]`. A file `refuses` in the folder makes it refuse everything. It ends with its standard input.

const [folder = '', address = '', port = '', key, certificate] = process.argv.slice(2)

const serve = (request: IncomingMessage, response: ServerResponse): void => {
  if (existsSync(join(folder, 'refuses'))) return void response.writeHead(503).end()
  const url = new URL(request.url ?? '/', 'http://here')
  const child = spawn('git', ['http-backend'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_USER: 'a host',
      REMOTE_ADDR: request.socket.remoteAddress ?? '',
    },
  })
  const end = (): void => void (child.kill('SIGKILL'), response.destroy())
  request.on('error', end).on('aborted', end).pipe(child.stdin).on('error', end)
  let head = Buffer.alloc(0)
  let isBody = false
  child.stdout.on('data', (piece: Buffer) => {
    if (isBody) return void response.write(piece)
    head = Buffer.concat([head, piece])
    const at = head.indexOf('\r\n\r\n')
    if (at === -1) return
    isBody = true
    const headers = head
      .subarray(0, at)
      .toString('latin1')
      .split('\r\n')
      .map((line) => /^([^:]+): *(.*)$/.exec(line)!)
    const status = headers.find(([, name]) => name!.toLowerCase() === 'status')?.[2]
    response.writeHead(
      status === undefined ? 200 : Number.parseInt(status, 10),
      headers.flatMap(([, name, value]) => (name!.toLowerCase() === 'status' ? [] : [name!, value!])),
    )
    response.write(head.subarray(at + 4))
  })
  child.stdout.on('end', () => void response.end())
}

const server =
  key === undefined || certificate === undefined
    ? createPlain(serve)
    : createEncrypted({ key: readFileSync(key), cert: readFileSync(certificate) }, serve)
server.listen(Number(port), address, () => console.log('ready'))
process.stdin.resume().on('end', () => process.exit(0))
