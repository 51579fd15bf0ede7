import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { PortPurpose } from '../../domain/worktree/worktree.ts'
import { listAgents } from '../../operations/agents/list.ts'
import { perform } from '../../operations/perform/perform.ts'
import { leasePort, readPorts, releasePort } from '../../operations/worktrees/ports.ts'
import { getWorktreeStatus } from '../../operations/worktrees/status.ts'
import { holding } from '../lease.ts'
import { processesMarked } from '../processes/table.ts'
import type { World } from '../world.ts'
import { provenFolder } from './folder.ts'

// Each worktree has a port from `worktrees.ports`: leased in the database until the worktree is removed.

/** Variables that identify the processes of this worktree and tell them its path. */
export type WorktreeEnvironment = Readonly<Record<string, string>>

/**
 * The environment for a process in a worktree. Its port is checked first: if another program uses it, another port is
 * leased and reported. Refuses if `worktrees.ports` is exhausted.
 */
export const worktreeEnvironment = async (
  world: World,
  worktree: string,
  purpose: PortPurpose = 'work',
): Promise<WorktreeEnvironment> => environmentOf(world, worktree, await checkedPort(world, worktree, purpose))

/** As `worktreeEnvironment`, without leasing or checking. */
export const presentEnvironment = async (world: World, worktree: string): Promise<WorktreeEnvironment> =>
  environmentOf(world, worktree, (await leaseOf(world, worktree, 'work'))?.port)

/** The environment for a person's shell or editor in this folder; empty outside of worktrees. */
export const environmentAt = async (world: World, folder: string): Promise<WorktreeEnvironment> => {
  const worktree = (await perform(world.core, getWorktreeStatus, {}, world.actor)).find(
    ({ path, status }) => path === folder && status === 'active',
  )
  if (!worktree) return {}
  await provenFolder(world, worktree.name)
  return presentEnvironment(world, worktree.name)
}

/** Records the processes that listen on the port after the worktree's setup, which are no strangers. */
export const recordServed = async (world: World, worktree: string): Promise<void> => {
  const lease = await leaseOf(world, worktree, 'work')
  if (!lease || (await isFree(lease.port))) return
  await perform(
    world.core,
    leasePort,
    { worktreeName: worktree, purpose: 'work', port: lease.port, served: true },
    world.actor,
  )
}

/** Releases the port of a verification; the worktree's own is released with it. */
export const releaseVerificationPort = async ({ core, actor }: World, worktree: string): Promise<void> => {
  await perform(core, releasePort, { worktreeName: worktree, purpose: 'verification' }, actor)
}

const environmentOf = ({ core }: World, worktree: string, port: number | undefined): WorktreeEnvironment => ({
  AISWARM_ROOT: core.root,
  AISWARM_WORKTREE: worktree,
  ...(port === undefined ? {} : { AISWARM_PORT: String(port) }),
})

/** Only one process checks at a time, because a check itself listens on the port for a moment. */
const checkedPort = (world: World, worktree: string, purpose: PortPurpose): Promise<number> =>
  holding(world, 'ports', async () => {
    const lease = await leaseOf(world, worktree, purpose)
    if (lease && (lease.served || (await isFree(lease.port)) || (await isOwn(world, worktree, lease.port))))
      return lease.port
    const port = await leaseFree(world, worktree, purpose)
    if (lease)
      world.report(`Port ${lease.port} of worktree ${worktree} is in use by another program; its port is now ${port}.`)
    return port
  })

const leaseOf = async ({ core, actor }: World, worktree: string, purpose: PortPurpose) =>
  (await perform(core, readPorts, {}, actor)).find((lease) => lease.worktree === worktree && lease.purpose === purpose)

/** True if a process of the worktree listens there; if the system does not tell the owner, if one may. */
const isOwn = async ({ core, actor }: World, worktree: string, port: number): Promise<boolean> =>
  listens(processesMarked({ AISWARM_ROOT: core.root, AISWARM_WORKTREE: worktree }), port) ??
  (await perform(core, listAgents, { worktree }, actor)).some((agent) => agent.process === 'started')

const leaseFree = async ({ core, actor }: World, worktree: string, purpose: PortPurpose): Promise<number> => {
  const [first, last] = core.settings.worktrees.ports
  const leased = new Set((await perform(core, readPorts, {}, actor)).map(({ port }) => port))
  for (const port of inTurn(first, last, core.root)) {
    if (leased.has(port) || !(await isFree(port))) continue
    if ((await perform(core, leasePort, { worktreeName: worktree, purpose, port }, actor)).leased) return port
  }
  const ours = [...leased].filter((port) => port >= first && port <= last).length
  throw new Refusal(
    'setup_failed',
    `No port is free for worktree ${worktree}: of worktrees.ports (${first} to ${last}) worktrees use ${ours} and other programs ${last - first + 1 - ours}; widen the range in .aiswarm/config.yaml.`,
  )
}

/**
 * Every port once, starting at one that depends on the repository, so that two repositories on a machine seldom
 * collide.
 */
const inTurn = (first: number, last: number, root: string): readonly number[] => {
  const size = last - first + 1
  const begin = createHash('sha256').update(root).digest().readUInt32BE() % size
  return Array.from({ length: size }, (_, at) => first + ((begin + at) % size))
}

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
