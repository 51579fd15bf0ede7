import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Actor, type HeldRole, system } from '../domain/agent/actor.ts'
import { LOCAL } from '../domain/host/host.ts'
import { isRefusal, Refusal } from '../domain/rules/refusal.ts'
import { duration } from '../domain/words/time.ts'
import { perform } from '../operations/perform/perform.ts'
import { roleLost } from '../operations/perform/roles.ts'
import { releaseLease, renewLease, takeLease } from '../operations/supervision/leases.ts'
import { identify, livenessOf } from './processes/identity.ts'
import type { World } from './world.ts'

// Leases under which a process does work that no other may do at the same time, and the name by which it holds
// them.

/**
 * Runs `work` while this process alone holds the lease `role`. Waits `patience` ms for another holder and returns
 * undefined if the lease does not become free. The world passed to `work` writes rows only while the lease is held;
 * before an irreversible step outside the database, `work` must call `fence`.
 */
export const whileHolding = async <W extends Holding, T>(
  world: W,
  role: string,
  patience: number,
  work: (held: W) => Promise<T>,
): Promise<{ result: T } | undefined> => {
  const { core, actor, holder } = world
  const mine = `${holder}/${role}/${randomUUID()}`
  const ask = () => perform(core, takeLease, { name: role, holder: mine, pid: process.pid, ttl: ROLE_TTL }, actor)
  const take = async (): Promise<number | undefined> => {
    const lease = await ask()
    if (lease.granted) return lease.term
    if (!isDeadHolder(lease.holder.split('/')[0]!, core.host)) return undefined
    // Its holder was killed; no process has to wait for the end of its term.
    await perform(core, releaseLease, { name: role, holder: lease.holder }, actor)
    const again = await ask()
    return again.granted ? again.term : undefined
  }
  const until = performance.now() + patience
  let term = await take()
  while (term === undefined) {
    if (performance.now() >= until) return undefined
    await sleep(60)
    term = await take()
  }
  // Renews without re-acquiring: if another process has taken the lease meanwhile, it works on what this one had begun.
  const renewal = setInterval(
    () => void perform(core, renewLease, { name: role, holder: mine, ttl: ROLE_TTL }, actor).catch(() => {}),
    ROLE_TTL / 3,
  )
  const held: W = { ...world, actor: withRole(actor, { name: role, holder: mine, term }) }
  try {
    return { result: await work(held) }
  } catch (error) {
    // A failure because another process does the same work is not a failure of the work.
    await fence(held)
    throw error
  } finally {
    clearInterval(renewal)
    // Released also if an outer lease was lost.
    await perform(core, releaseLease, { name: role, holder: mine }, system())
  }
}

type Holding = Pick<World, 'core' | 'actor' | 'holder'>

/** The term of a lease in `whileHolding` (ms); it is renewed. */
const ROLE_TTL = 15_000

const withRole = (actor: Actor, role: HeldRole): Actor =>
  actor.kind === 'system' ? { ...actor, roles: [...(actor.roles ?? []), role] } : actor

/**
 * As `whileHolding` for work on what belongs to one clone or machine, on which hosts do not wait for each other. Refuses if
 * the lease stays taken.
 */
export const holding = async <T>(
  world: World,
  role: string,
  work: (held: World) => Promise<T>,
  patience = HOLDING,
): Promise<T> => {
  const { host } = world.core
  const here = typeof host === 'string' && host !== LOCAL ? `${role}:${host}` : role
  const held = await whileHolding(world, here, patience, work)
  if (!held)
    throw new Refusal(
      'database_busy',
      `Another process of this host has held the lease '${role}' for ${duration(patience)}; try again.`,
    )
  return held.result
}

/** How long `holding` waits for another process (ms). */
const HOLDING = 60_000

/**
 * Refuses if another process has taken over a lease that this work holds. A process may be stopped for minutes between
 * any two of its statements (a suspended machine, swap, SIGSTOP), so the answer is a moment old at best: a destructive
 * step must also prove that it has the right object (see `takeAway`).
 */
export const fence = async ({ core, actor }: Pick<World, 'core' | 'actor'>): Promise<void> => {
  if (actor.kind !== 'system') return
  for (const { name, holder } of actor.roles ?? []) {
    const { held } = await perform(core, renewLease, { name, holder, ttl: ROLE_TTL }, actor)
    if (!held) throw roleLost(name)
  }
}

/** The result of the work; undefined if another process has taken over its lease and continues the work. */
export const unlessRoleLost = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await work()
  } catch (error) {
    if (isRefusal(error) && error.code === 'role_lost') return undefined
    throw error
  }
}

// Names a process in leases, so that a process that finds the lease can tell whether its holder still lives.

/** The name of this process; `host` is the one that it is of, where a board has several. */
export const newHolder = (host?: string | null): string => {
  const { startedAt = '', bootId = '' } = identify(process.pid) ?? {}
  return [process.pid, startedAt, bootId, randomUUID(), ...(typeof host === 'string' ? [host] : [])].join('~')
}

/**
 * True only if the process is proven dead. For a process of another host or pid namespace nothing can be proven: machines
 * that were copied from one another have the same id, so where a board has several hosts, only one of `host` is judged.
 */
export const isDeadHolder = (holder: string, host?: string | null): boolean => {
  const [pid = '', startedAt = '', bootId = '', , of] = holder.split('~')
  if (host !== undefined && (host === null || of !== host)) return false
  // An older aiswarm wrote its namespace separately; its term must expire.
  if (startedAt === '' || !bootId.includes('@')) return false
  return livenessOf({ pid: Number(pid), startedAt, bootId }) === 'dead'
}
