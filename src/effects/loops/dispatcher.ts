import { setImmediate as turn } from 'node:timers/promises'
import type { z } from 'zod'
import { milliseconds } from '../../domain/words/time.ts'
import { perform } from '../../operations/perform/perform.ts'
import { dispatch } from '../../operations/supervision/dispatch.ts'
import type { MostAtOnce } from '../guard/trusted-configuration.ts'
import type { wishesOf } from '../wishes.ts'
import type { World } from '../world.ts'
import { whyHold } from './capacity.ts'
import type { RunningJobs } from './running-jobs.ts'

type Wishes = Awaited<ReturnType<typeof wishesOf>>

/** Ready tasks are looked for again after so long even if no event has come (ms). */
const DUE = 30_000

/** The same while some of them wait for a host (ms). */
const DUE_ELSEWHERE = 5000

/** The longest rest after a check that found nothing (ms). */
const REST = 1000

/** Starts ready tasks after an event or when a retry is due. */
export class Dispatcher {
  readonly #world: World
  readonly #jobs: RunningJobs
  readonly most: MostAtOnce
  #event = -1
  /** When to check although there was no event, and until when not to check at all (ms of the monotonic clock). */
  #again = 0
  #rested = 0

  constructor(world: World, jobs: RunningJobs, most: MostAtOnce) {
    this.#world = world
    this.#jobs = jobs
    this.most = most
  }

  /** The wishes without new runs while nothing may be started here; they stay in the rows. */
  startable(wishes: Wishes): Wishes {
    const hold = whyHold(this.#world)
    if (hold === undefined) {
      this.#jobs.forget('hold')
      return wishes
    }
    if (!this.#isAlone) this.#jobs.reportOnce('hold', `No agent is started on this host: ${hold}.`)
    return { ...wishes, runs: wishes.runs.filter((run) => run.process !== 'wanted' || run.stopRequestedAt !== null) }
  }

  /** True if the board can have no other host; otherwise a hold of this one closes this one, as its row says. */
  get #isAlone(): boolean {
    return this.#world.core.host === undefined
  }

  /** True if work has become due since the last check. */
  isDue(now: number): boolean {
    return now >= this.#again
  }

  /** When the rest after the last check ends, if the events since then have not been looked at. */
  restsUntil({ lastEvent }: Wishes, now: number): number | undefined {
    return (lastEvent !== this.#event || this.isDue(now)) && now < this.#rested ? this.#rested : undefined
  }

  /** True if a task started. */
  async dispatch({ lastEvent, nextDue }: Wishes, now: number): Promise<boolean> {
    if (lastEvent === this.#event && !this.isDue(now)) return false
    const hold = this.#isAlone ? whyHold(this.#world) : undefined
    if (hold !== undefined) {
      this.#jobs.reportOnce('dispatch', `No agent is started: ${hold}.`)
      return false
    }
    this.#jobs.forget('dispatch')
    const began = performance.now()
    const { started, missing, unplaced } = await dispatchTasks(this.#world, this.most.now)
    // On a large board without a ready task a check takes long and seldom finds more, so it gets a tenth of the time.
    this.#rested = started.length > 0 ? 0 : performance.now() + Math.min(REST, 10 * (performance.now() - began))
    const wait = nextDue === null ? Infinity : milliseconds(nextDue) - milliseconds(this.#world.core.clock())
    this.#event = lastEvent
    // The installation of a program leaves no event, and neither does a host that is heard of again.
    const due = unplaced ? DUE_ELSEWHERE : DUE
    this.#again = nextDue === null && !missing && !unplaced ? Infinity : performance.now() + Math.min(due, wait)
    return started.length > 0
  }
}

/**
 * Starts the tasks that can start and returns which did. On a large board with many blocked tasks it yields between two
 * checks.
 */
export const dispatchTasks = async (
  world: World,
  maxParallel: number,
): Promise<Pick<z.output<typeof dispatch.output>, 'started' | 'missing' | 'unplaced'>> => {
  const look = (behind: z.input<typeof dispatch.input>['behind']) =>
    perform(world.core, dispatch, { maxParallel, behind }, world.actor)
  let { next, started, missing, unplaced } = await look(null)
  while (next !== null) {
    await turn()
    const more = await look(next)
    started = [...started, ...more.started]
    missing ??= more.missing
    unplaced ??= more.unplaced
    next = more.next
  }
  return { started, ...(missing ? { missing } : {}), ...(unplaced ? { unplaced } : {}) }
}
