import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentKind } from '../agents/kind.ts'
import { type Actor, type HeldRole, system } from '../domain/actor.ts'
import { isRefusal, Refusal } from '../domain/refusal.ts'
import type { Core } from '../operations/kernel/core.ts'
import { perform } from '../operations/kernel/perform.ts'
import { roleLost } from '../operations/kernel/supervision.ts'
import type { MemoryConfig } from '../memory/session-files/memory-config.ts'
import { releaseLease } from '../operations/release-lease.ts'
import { renewLease } from '../operations/renew-lease.ts'
import { takeLease } from '../operations/take-lease.ts'
import { isDeadHolder } from './holder.ts'
import type { RunReports } from './run-reports.ts'

/** What the loops work with: the core, who they are, and what can be started. */
export interface World {
  readonly core: Core
  /** The program itself; `holder` is set while this process supervises. */
  readonly actor: Actor
  /** Names this process in leases. */
  readonly holder: string
  readonly kinds: ReadonlyMap<string, AgentKind>
  /** Where the session's files lie (seed 000). */
  readonly memory: MemoryConfig
  /** What the runs of agents have said so far, as far as this process read it. */
  readonly reports: RunReports
  /** Command line of aiswarm itself, for the program that agents find on their PATH. */
  readonly self: readonly string[]
  /** Something a person should know that has no row to stand in. */
  readonly report: (sentence: string) => void
}

/** The world as seen by a loop that must hold the supervisor lease to decide anything. */
export const supervising = (world: World): World => ({ ...world, actor: system(world.holder) })

/** Milliseconds for which a role in `whileHolding` is taken at a time. */
const ROLE_TTL = 15_000

type Holding = Pick<World, 'core' | 'actor' | 'holder'>

/**
 * Runs `work` while this process alone holds the role. Waits `patience` ms for another holder;
 * gives undefined when the role did not become free. What `work` is handed writes rows only as long as the role is held;
 * before a step outside the database that cannot be undone it asks `fence`.
 */
export const whileHolding = async <W extends Holding, T>(world: W, role: string, patience: number, work: (held: W) => Promise<T>): Promise<{ result: T } | undefined> => {
  const { core, actor, holder } = world
  const mine = `${holder}/${role}/${randomUUID()}`
  const ask = () => perform(core, takeLease, { name: role, holder: mine, pid: process.pid, ttl: ROLE_TTL }, actor)
  const take = async (): Promise<boolean> => {
    const lease = await ask()
    if (lease.granted || !isDeadHolder(lease.holder.split('/')[0]!)) return lease.granted
    // Its holder was killed; nobody has to wait for the end of its term.
    await perform(core, releaseLease, { name: role, holder: lease.holder }, actor)
    return (await ask()).granted
  }
  const until = performance.now() + patience
  while (!(await take())) {
    if (performance.now() >= until) return undefined
    await sleep(60)
  }
  // A role that another process has taken meanwhile is never taken back: that process works on what this one had begun.
  const renewal = setInterval(() => void perform(core, renewLease, { name: role, holder: mine, ttl: ROLE_TTL }, actor).catch(() => {}), ROLE_TTL / 3)
  const held: W = { ...world, actor: withRole(actor, { name: role, holder: mine }) }
  try {
    return { result: await work(held) }
  } catch (error) {
    // What fails because another process does the same is no failure of the work.
    await fence(held)
    throw error
  } finally {
    clearInterval(renewal)
    // Also where an outer role was lost.
    await perform(core, releaseLease, { name: role, holder: mine }, actor.kind === 'system' ? { ...actor, roles: [] } : actor)
  }
}

const withRole = (actor: Actor, role: HeldRole): Actor => (actor.kind === 'system' ? { ...actor, roles: [...(actor.roles ?? []), role] } : actor)

/**
 * Refuses when another process has taken over a role that this work holds. A process may be stopped for minutes between
 * any two of its statements (a suspended machine, swap, SIGSTOP), so the answer is a moment old at best: a step that
 * destroys something must also prove that it has the right thing in hand (see `takeAway`).
 */
export const fence = async ({ core, actor }: Pick<World, 'core' | 'actor'>): Promise<void> => {
  if (actor.kind !== 'system') return
  for (const { name, holder } of actor.roles ?? []) {
    const { held } = await perform(core, renewLease, { name, holder, ttl: ROLE_TTL }, actor)
    if (!held) throw roleLost(name)
  }
}

/** What the work gives; undefined where it has lost its role to another process, which goes on with it. */
export const unlessRoleLost = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await work()
  } catch (error) {
    if (isRefusal(error) && error.code === 'role_lost') return undefined
    throw error
  }
}

/** As `whileHolding`, but refuses when the role stays taken. */
export const holding = async <T>(world: World, role: string, work: (held: World) => Promise<T>): Promise<T> => {
  const held = await whileHolding(world, role, 60_000, work)
  if (!held) throw new Refusal('database_busy', `Another process has been busy with ${role.replace(':', ' ')} for a minute; try again.`)
  return held.result
}
