import { createHash } from 'node:crypto'
import { Refusal } from '../domain/refusal.ts'
import type { PortPurpose } from '../domain/worktree.ts'
import { getWorktreeStatus } from '../operations/get-worktree-status.ts'
import { perform } from '../operations/kernel/perform.ts'
import { leasePort } from '../operations/lease-port.ts'
import { listAgents } from '../operations/list-agents.ts'
import { readPorts } from '../operations/read-ports.ts'
import { releasePort } from '../operations/release-port.ts'
import { isFree, listens } from './port-check.ts'
import { processesMarked } from './process-table.ts'
import { provenFolder } from './worktree-place.ts'
import { holding, type World } from './world.ts'

// A port for each worktree, from `worktrees.ports`: leased in the database, kept until the worktree is gone.

/** By these a process is known as one of this worktree, and knows where it is. */
export type WorktreeEnvironment = Readonly<Record<string, string>>

/**
 * The environment of what is about to be started in a worktree. Its port is looked at first: where a program that is
 * not the worktree's own has taken it, another one is leased and reported. Refuses when `worktrees.ports` is exhausted.
 */
export const worktreeEnvironment = async (world: World, worktree: string, purpose: PortPurpose = 'work'): Promise<WorktreeEnvironment> =>
  environmentOf(world, worktree, await checkedPort(world, worktree, purpose))

/** As `worktreeEnvironment`, but as things stand: nothing is leased or looked at. */
export const presentEnvironment = async (world: World, worktree: string): Promise<WorktreeEnvironment> =>
  environmentOf(world, worktree, (await leaseOf(world, worktree, 'work'))?.port)

/** What a person's shell or editor in this folder gets; nothing outside of worktrees. */
export const environmentAt = async (world: World, folder: string): Promise<WorktreeEnvironment> => {
  const worktree = (await perform(world.core, getWorktreeStatus, {}, world.actor)).find(({ path, status }) => path === folder && status === 'active')
  if (!worktree) return {}
  await provenFolder(world, worktree.name)
  return presentEnvironment(world, worktree.name)
}

/** What listens on the port now was left there by the worktree's setup: from here on it is no stranger. */
export const recordServed = async (world: World, worktree: string): Promise<void> => {
  const lease = await leaseOf(world, worktree, 'work')
  if (!lease || (await isFree(lease.port))) return
  await perform(world.core, leasePort, { worktreeName: worktree, purpose: 'work', port: lease.port, served: true }, world.actor)
}

/** Gives the port of a verification back; that of the work goes with the worktree. */
export const releaseVerificationPort = async ({ core, actor }: World, worktree: string): Promise<void> => {
  await perform(core, releasePort, { worktreeName: worktree, purpose: 'verification' }, actor)
}

const environmentOf = ({ core }: World, worktree: string, port: number | undefined): WorktreeEnvironment => ({
  AISWARM_ROOT: core.root,
  AISWARM_WORKTREE: worktree,
  ...(port === undefined ? {} : { AISWARM_PORT: String(port) }),
})

/** One process looks at a time: whoever looks holds the port for a moment, and would be taken for a stranger. */
const checkedPort = (world: World, worktree: string, purpose: PortPurpose): Promise<number> =>
  holding(world, 'ports', async () => {
    const lease = await leaseOf(world, worktree, purpose)
    if (lease && (lease.served || (await isFree(lease.port)) || (await isOwn(world, worktree, lease.port)))) return lease.port
    const port = await leaseFree(world, worktree, purpose)
    if (lease) world.report(`Port ${lease.port} of worktree ${worktree} is in use by another program; from now on its port is ${port}.`)
    return port
  })

const leaseOf = async ({ core, actor }: World, worktree: string, purpose: PortPurpose) =>
  (await perform(core, readPorts, {}, actor)).find((lease) => lease.worktree === worktree && lease.purpose === purpose)

/** True where a process of the worktree listens there; where the system does not tell whose it is, where one may. */
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
    `No port is left for worktree ${worktree}: of worktrees.ports (${first} to ${last}) worktrees have ${ours} and other programs ${last - first + 1 - ours}; widen it in .aiswarm/config.yaml.`,
  )
}

/** Every port once, beginning where the repository says: two repositories on a machine seldom want the same. */
const inTurn = (first: number, last: number, root: string): readonly number[] => {
  const size = last - first + 1
  const begin = createHash('sha256').update(root).digest().readUInt32BE() % size
  return Array.from({ length: size }, (_, at) => first + ((begin + at) % size))
}
