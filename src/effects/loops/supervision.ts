import { setTimeout as sleep } from 'node:timers/promises'
import { BEAT } from './beat.ts'
import { perform } from '../../operations/door/perform.ts'
import type { HostState } from '../../domain/host/host.ts'
import { listHosts } from '../../operations/hosts/list-hosts.ts'
import { readRemainingWork } from '../../operations/sessions/read-remaining-work.ts'
import { asRefusal } from '../../domain/rules/system-error.ts'
import type { SessionFiles } from '../session-files/files.ts'
import type { World } from '../world.ts'

export const remainingWork = (world: World) => perform(world.core, readRemainingWork, {}, world.actor)

export interface Supervisor {
  /** Whether this process runs the loops now, and the process or the number of hosts that do otherwise. */
  standing(): { readonly here: boolean; readonly pid: number | null; readonly hosts?: number }
  /** Resolves when nothing moves by itself any more. Meaningful only while this process supervises. */
  untilIdle(): Promise<Awaited<ReturnType<typeof remainingWork>>>
  stop(): Promise<void>
}

export interface SupervisorOptions {
  /** The most agents at a time on the whole board. */
  readonly maxParallel: number
  /** The most on this host, if a person has set a limit. */
  readonly maxHere?: number
}

/** How long nothing must have moved on the hosts until they count as idle (ms). */
const STILL = 5000

/** How often the hosts are looked at (ms). */
const LOOK = 2000

/** The supervisor of a checkout that has not joined: the hosts do the work. */
export const lookingOn = (world: World): Supervisor => {
  let stopped = false
  let hosts = 0
  const look = async (): Promise<void> => {
    const views = await perform(world.core, listHosts, {}, world.actor)
    hosts = views.filter((host) => host.beatAt !== null && host.silentSince === null && isHeard(host.state)).length
  }
  // While the board cannot be reached, they are as they were last seen.
  const lookAgain = (): void => void look().catch(() => {})
  lookAgain()
  const timer = setInterval(lookAgain, LOOK)
  timer.unref()
  return {
    standing: () => ({ here: false, pid: null, hosts }),
    untilIdle: async () => {
      for (let still = 0; ; await sleep(BEAT)) {
        const found = await remainingWork(world)
        still = found.moving ? 0 : still + BEAT
        if (stopped || still >= STILL) return found
      }
    },
    stop: () => {
      stopped = true
      clearInterval(timer)
      return Promise.resolve()
    },
  }
}

const isHeard = (state: HostState): boolean => state === 'up' || state === 'draining'

/** Reports an error, because a file that cannot be written must not prevent the end. */
export const closing = async (world: World, files: SessionFiles): Promise<void> => {
  try {
    await files.close()
  } catch (error) {
    world.report(asRefusal(error)?.message ?? `session files: ${error instanceof Error ? error.stack : String(error)}`)
  }
}
