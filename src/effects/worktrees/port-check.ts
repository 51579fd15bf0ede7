import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { connect, createServer } from 'node:net'

// Finds the processes that listen on a port of this machine.

const hosts = ['127.0.0.1', '::1'] as const

/** True if no process listens on the port, neither on IPv4 nor, if available, on IPv6. */
export const isFree = async (port: number): Promise<boolean> => {
  for (const host of hosts) {
    // Some systems allow a second listener on one address of a wildcard one, so a connection attempt is needed.
    if ((await answers(port, host)) || !(await binds(port, host))) return false
  }
  return true
}

const binds = (port: number, host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT'),
    )
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })

const answers = (port: number, host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host })
    const end = (answered: boolean) => () => {
      socket.destroy()
      resolve(answered)
    }
    socket.once('connect', end(true)).once('error', end(false)).setTimeout(1000, end(false))
  })

/** True if one of these processes listens on the port; undefined if the system does not tell. */
export const listens = (pids: readonly number[], port: number): boolean | undefined => {
  if (process.platform !== 'linux') return undefined
  const sockets = new Set(listeners(port))
  return sockets.size > 0 && pids.some((pid) => openFiles(pid).some((file) => sockets.has(file)))
}

/** The listening sockets on the port, as /proc/PID/fd names them. */
const listeners = (port: number): readonly string[] =>
  ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => {
    const hexadecimal = port.toString(16).toUpperCase().padStart(4, '0')
    return read(table)
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , state]) => state === LISTEN && local?.endsWith(`:${hexadecimal}`))
      .map((fields) => `socket:[${fields[9]}]`)
  })

const LISTEN = '0A'

const openFiles = (pid: number): readonly string[] =>
  tried(() => readdirSync(`/proc/${pid}/fd`), []).map((file) =>
    tried(() => readlinkSync(`/proc/${pid}/fd/${file}`), ''),
  )

const read = (path: string): string => tried(() => readFileSync(path, 'utf8'), '')

/** Returns `otherwise` for a process that has ended, a closed file, or another user's process. */
const tried = <T>(look: () => T, otherwise: T): T => {
  try {
    return look()
  } catch {
    return otherwise
  }
}
