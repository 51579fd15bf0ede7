import { spawn } from 'node:child_process'
import { connect, createServer, type Socket } from 'node:net'
import { constants } from 'node:os'
import { socketIn } from './entry.ts'

// The first program in a sandbox whose only network is its own loopback: it listens there, and hands each connection to
// the proxy outside through a socket in the run's folder. It starts the program, and ends with it.

/**
 * Runs a program. Arguments: the folder of the socket, the socket's name, services of the machine, the program,
 * its arguments. Returns its exit code.
 */
export const forwardLoopback = async ([
  folder,
  name,
  services,
  program,
  ...args
]: readonly string[]): Promise<number> => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  const cwd = process.cwd()
  // The path of a socket has at most 107 bytes, so it is named from its folder.
  await socketIn(folder!, name!)
  process.chdir(folder!)
  const port = await listen(0, (socket) => join(socket, connect({ path: name! })))
  for (const own of (services ?? '').split(',').filter((one) => one !== ''))
    await listen(Number(own.split(':')[1]), (socket) => toService(socket, name!, own))
  const child = spawn(program!, args, { stdio: 'inherit', cwd, env: { ...process.env, ...proxyVariables(port) } })
  return new Promise((resolve) => {
    child.once('error', (error) => {
      process.stderr.write(`${program}: ${error.message}\n`)
      resolve(127)
    })
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 1)))
  })
}

const listen = (port: number, serve: (socket: Socket) => void): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer(serve)
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })

const join = (socket: Socket, outside: Socket): void => {
  socket.pipe(outside)
  outside.pipe(socket)
  for (const [one, other] of [
    [socket, outside],
    [outside, socket],
  ] as const) {
    one.on('error', () => other.destroy())
    one.on('close', () => other.destroy())
  }
}

/** A service of the machine that a person listed, through a tunnel of the proxy. */
const toService = (socket: Socket, name: string, service: string): void => {
  const outside = connect({ path: name })
  outside.on('error', () => socket.destroy())
  outside.write(`CONNECT ${service} HTTP/1.1\r\n\r\n`)
  let head = ''
  const hear = (piece: Buffer): void => {
    head += piece.toString('latin1')
    const end = head.indexOf('\r\n\r\n')
    if (end === -1 && head.length < 4096) return
    outside.off('data', hear)
    if (!head.startsWith('HTTP/1.1 200')) return void socket.destroy()
    socket.write(Buffer.from(head.slice(end + 4), 'latin1'))
    join(socket, outside)
  }
  outside.on('data', hear)
}

/** The variables by which programs find a proxy: in both spellings, and for Node's own fetch. */
const proxyVariables = (port: number): Readonly<Record<string, string>> => {
  const address = `http://127.0.0.1:${port}`
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()])
  return {
    ...Object.fromEntries(names.map((name) => [name, address])),
    NO_PROXY: 'localhost,127.0.0.1,::1',
    no_proxy: 'localhost,127.0.0.1,::1',
    NODE_USE_ENV_PROXY: '1',
  }
}
