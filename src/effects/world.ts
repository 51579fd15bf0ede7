import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentKind } from '../agents/kind/kind.ts'
import type { Report, Trail } from '../agents/reading/report.ts'
import type { ContextUse } from '../domain/agent/context-health.ts'
import { type Actor, type HeldRole, system } from '../domain/agent/actor.ts'
import { LOCAL } from '../domain/host/host.ts'
import { isRefusal, Refusal } from '../domain/rules/refusal.ts'
import { duration } from '../domain/words/time.ts'
import type { Outside } from '../contracts/outside.ts'
import type { Core } from '../operations/perform/core.ts'
import { perform } from '../operations/perform/perform.ts'
import { roleLost } from '../operations/perform/roles.ts'
import type { MemoryConfig } from '../memory/session-files/memory-config.ts'
import { releaseLease, renewLease, takeLease } from '../operations/supervision/leases.ts'
import type { AgentRun } from '../operations/supervision/wishes.ts'
import type { RunReport } from '../operations/runs/reports.ts'
import { isDeadHolder } from './processes/holder.ts'

/** The complete report of a run: for decisions, as recorded, and its actions. */
export interface Finished {
  readonly report: Report
  readonly record: RunReport
  readonly use: ContextUse
  readonly trail: Trail
}

/** The reports of agents in the output of their runs. */
export interface Reports {
  /** Reads what is new and records it if it says something new. */
  readonly follow: (world: World, run: AgentRun) => Promise<void>
  /** Everything that a run that is over has said; undefined for kinds whose output is for people. */
  readonly finish: (world: World, run: AgentRun) => Promise<Finished | undefined>
}

/** The conversations with agents whose input is a journal. */
interface Conversations {
  /** The runs among these about which there may be news. */
  readonly due: (world: World, runs: readonly AgentRun[]) => readonly AgentRun[]
  /** Takes in what an agent has printed, and sends it what is due. */
  readonly pump: (world: World, run: AgentRun) => Promise<void>
  /** Takes in what an agent has printed, before its output is shortened; `cut` then says to which size. */
  readonly hear: (world: World, run: AgentRun) => Promise<void>
  readonly cut: (run: AgentRun, size: number) => void
  /** Takes in the last that an agent has printed. */
  readonly finish: (world: World, run: AgentRun) => Promise<void>
}

/** The part of the outside for which other hosts may ask this one. */
export type Sights = Pick<
  Outside,
  | 'readOutput'
  | 'readRawOutput'
  | 'inspectAgent'
  | 'observeProcesses'
  | 'observeWorktrees'
  | 'readVerification'
  | 'census'
  | 'worktreeContents'
  | 'presentWorktree'
  | 'readReviewFile'
  | 'conversations'
>

/** Everything the loops work with: the core, their identity, and the kinds of agents. */
export interface World {
  readonly core: Core
  /** The program itself; in the loops, in the term in which this process supervises. */
  readonly actor: Actor
  /** Names this process in leases. */
  readonly holder: string
  readonly kinds: ReadonlyMap<string, AgentKind>
  /** The place of the session's files (seed 000). */
  readonly memory: MemoryConfig
  /** The reports of agents' runs, as far as this process has read them. */
  readonly reports: Reports
  /** The conversations with agents' runs, as far as this process has read them. */
  readonly talks: Conversations
  /** Answers to other hosts; missing where there are none. */
  readonly sights?: () => Promise<Sights>
  /** Serves MCP to an agent that names itself by these variables, on a stream; only the program itself has it. */
  readonly serveAgent?: (environment: Readonly<Record<string, string>>, stream: Duplex) => Promise<void>
  /** The version of aiswarm. */
  readonly version: string
  /** The command line of aiswarm itself, for the program that agents find on their PATH. */
  readonly self: readonly string[]
  /** Reports a message to the person that has no row; `isGood` for the end of a problem. */
  readonly report: (sentence: string, isGood?: boolean) => void
}

/**
 * The world for loops that write only while this process has their role: those of a host, or without one those that plan.
 * `term` returns the number of its current term; a copy of the world stays in the term in which it was made.
 */
export const supervising = (world: World, term: () => number, host?: string): World => ({
  ...world,
  get actor() {
    return system({ holder: world.holder, term: term(), ...(host === undefined ? {} : { host }) })
  },
})

/** The term of a lease in `whileHolding` (ms); it is renewed. */
const ROLE_TTL = 15_000

type Holding = Pick<World, 'core' | 'actor' | 'holder'>

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

const withRole = (actor: Actor, role: HeldRole): Actor =>
  actor.kind === 'system' ? { ...actor, roles: [...(actor.roles ?? []), role] } : actor

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

/** How long `holding` waits for another process (ms). */
const HOLDING = 60_000

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
