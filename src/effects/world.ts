import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentKind } from '../agents/kind.ts'
import { type Actor, system } from '../domain/actor.ts'
import { Refusal } from '../domain/refusal.ts'
import type { Core } from '../operations/kernel/core.ts'
import { perform } from '../operations/kernel/perform.ts'
import type { MemoryConfig } from '../memory/session-files/memory-config.ts'
import { releaseLease } from '../operations/release-lease.ts'
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

/**
 * Runs `work` while this process alone holds the role. Waits `patience` ms for another holder;
 * gives undefined when the role did not become free.
 */
export const whileHolding = async <T>(
  { core, actor, holder }: Pick<World, 'core' | 'actor' | 'holder'>,
  role: string,
  patience: number,
  work: () => Promise<T>,
): Promise<{ result: T } | undefined> => {
  const mine = `${holder}/${role}/${randomUUID()}`
  const ask = () => perform(core, takeLease, { name: role, holder: mine, pid: process.pid, ttl: ROLE_TTL }, actor)
  const take = async (): Promise<boolean> => {
    const lease = await ask()
    if (lease.granted || !isDeadHolder(lease.holder.split('/')[0]!)) return lease.granted
    // Its holder was killed; nobody has to wait for the end of its term.
    await perform(core, releaseLease, { name: role, holder: lease.holder }, actor)
    return (await ask()).granted
  }
  const until = Date.now() + patience
  while (!(await take())) {
    if (Date.now() >= until) return undefined
    await sleep(60)
  }
  let renewed: Promise<unknown> = Promise.resolve()
  const renewal = setInterval(() => void (renewed = take().catch(() => {})), ROLE_TTL / 3)
  try {
    return { result: await work() }
  } finally {
    clearInterval(renewal)
    // Behind the release it would take the role once more, for nobody.
    await renewed
    await perform(core, releaseLease, { name: role, holder: mine }, actor)
  }
}

/** As `whileHolding`, but refuses when the role stays taken. */
export const holding = async <T>(world: World, role: string, work: () => Promise<T>): Promise<T> => {
  const held = await whileHolding(world, role, 60_000, work)
  if (!held) throw new Refusal('database_busy', `Another process has been busy with ${role.replace(':', ' ')} for a minute; try again.`)
  return held.result
}
