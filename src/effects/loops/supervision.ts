import { setTimeout as sleep } from 'node:timers/promises'
import type { Supervision } from '../../contracts/console.ts'
import { BEAT } from './beat.ts'
import { MostAtOnce } from '../guard/trusted-configuration.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { HostState } from '../../domain/host/host.ts'
import { listHosts, readUnpushed } from '../../operations/hosts/list.ts'
import { hostOf } from '../../operations/perform/core.ts'
import { readRemainingWork } from '../../operations/sessions/results.ts'
import { isAway, isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { asRefusal } from '../../domain/rules/system-error.ts'
import { hasNotes } from '../hosts/offline-notes.ts'
import type { SessionFiles } from '../session-files/session-files.ts'
import type { World } from '../world.ts'

export const remainingWork = (world: World) => perform(world.core, readRemainingWork, {}, world.actor)

export type RemainingWork = Awaited<ReturnType<typeof remainingWork>>

export interface Supervisor {
  /**
   * Whether this process runs the loops now, the process or the number of hosts that do otherwise, and the most agents that
   * run at a time.
   */
  standing(): Pick<Supervision, 'here' | 'pid' | 'hosts' | 'most' | 'closed'>
  /** Resolves when nothing moves by itself any more. Meaningful only while this process supervises. */
  untilIdle(): Promise<RemainingWork>
  /** Resolves when nothing runs on this host and nothing waits for it. */
  untilStill(): Promise<void>
  stop(): Promise<void>
}

export interface SupervisorOptions {
  /** The most agents at a time on the whole board; null: what the configuration says at each moment. */
  readonly maxParallel: number | null
  /** The most on this host, if a person has set a limit. */
  readonly maxHere?: number
  /** The labels of this host, if they are set anew. */
  readonly labels?: readonly string[]
  /** Called once if the board does not know this host any more; the loops have ended then. */
  readonly forgotten?: (refusal: Refusal) => void
}

/** How long nothing must have moved on the hosts until they count as idle (ms). */
const STILL = 5000

/** How often the hosts are looked at (ms). */
const LOOK = 2000

/** The supervisor of a checkout that has not joined: the hosts do the work. */
export const lookingOn = (world: World): Supervisor => {
  let stopped = false
  let hosts = 0
  const most = new MostAtOnce(world, null)
  const look = async (): Promise<void> => {
    await most.reread()
    const views = await perform(world.core, listHosts, {}, world.actor)
    hosts = views.filter((host) => host.beatAt !== null && host.silentSince === null && isHeard(host.state)).length
  }
  // While the board cannot be reached, they are as they were last seen.
  const lookAgain = (): void => void look().catch(() => {})
  lookAgain()
  const timer = setInterval(lookAgain, LOOK)
  timer.unref()
  return {
    standing: () => ({ here: false, pid: null, hosts, most: most.now }),
    untilIdle: () =>
      untilIdle(world, () => ({
        ...{ stopped, here: false, quiet: true, due: false },
        sawAll: () => Promise.resolve(true),
      })),
    untilStill: () => Promise.resolve(),
    stop: () => {
      stopped = true
      clearInterval(timer)
      return Promise.resolve()
    },
  }
}

/** The loops at this moment, as far as it matters to a wait for their end. */
interface Moment {
  readonly stopped: boolean
  /** True if this process plans for the board, and runs the agents of this host. */
  readonly here: boolean
  readonly quiet: boolean
  /** True if work has become due since the last pass, which starts with the next one. */
  readonly due: boolean
  readonly sawAll: () => Promise<boolean>
}

/** How often the board is asked while nothing of it changes (ms). */
const ASK = 1000

/** Waits until nothing moves any more on the board, or the loops are stopped. Nothing is known of a board that is away. */
export const untilIdle = async (world: World, look: () => Moment): Promise<RemainingWork> => {
  const recent = recentWork(world)
  for (let still = 0; ; await sleep(BEAT)) {
    const { stopped, here, quiet, due, sawAll } = look()
    if (!stopped && !quiet) continue
    try {
      const moving = (await recent()).moving || due
      still = moving ? 0 : still + BEAT
      // If another process supervises, its loops are idle when nothing has moved for a while.
      if (!stopped && (moving || (!here && still < STILL))) continue
      const found = await remainingWork(world)
      if (stopped || (!found.moving && (!here || (await sawAll())))) return found
    } catch (error) {
      if (stopped || !isAway(error)) throw error
      still = 0
    }
  }
}

/** The remaining work, asked again after a commit, or after a while: a task becomes due by itself. */
const recentWork = (world: World): (() => Promise<RemainingWork>) => {
  let known: { readonly version: number; readonly at: number; readonly found: Promise<RemainingWork> } | undefined
  return () => {
    const [version, at] = [world.core.store.version(), performance.now()]
    if (known?.version !== version || at - known.at >= ASK) known = { version, at, found: remainingWork(world) }
    return known.found
  }
}

/**
 * Waits until nothing has moved on this host for a while, since another process may just be giving it a task, and nothing
 * of it is here only: commits that are not on the remote, notes that are not on the board.
 */
export const untilStill = async (
  world: World,
  look: () => { readonly stopped: boolean; readonly moving: boolean },
): Promise<void> => {
  for (let still = 0; ; await sleep(BEAT)) {
    const { stopped, moving } = look()
    if (stopped) return
    still = moving ? 0 : still + BEAT
    if (still < STILL) continue
    if (!(await owesOthers(world))) return
    still = 0
  }
}

const owesOthers = async ({ core, actor }: World): Promise<boolean> => {
  if (hasNotes(core)) return true
  const host = hostOf(core)
  try {
    return host !== null && (await perform(core, readUnpushed, { hostId: host }, actor)).length > 0
  } catch (error) {
    if (!isRefusal(error)) throw error
    // The board cannot be asked.
    return true
  }
}

export const heldBy = (pid: number): Refusal =>
  new Refusal(
    'invalid_state',
    `Another process (${pid}) runs the agents of this host. End it first, or let it do the work.`,
  )

const isHeard = (state: HostState): boolean => state === 'up' || state === 'draining'

/** Reports an error, because a file that cannot be written must not prevent the end. */
export const closing = async (world: World, files: SessionFiles): Promise<void> => {
  try {
    await files.close()
  } catch (error) {
    world.report(asRefusal(error)?.message ?? `session files: ${error instanceof Error ? error.stack : String(error)}`)
  }
}
