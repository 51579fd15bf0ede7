import { setTimeout as sleep } from 'node:timers/promises'
import { person } from '../domain/actor.ts'
import { isRefusal } from '../domain/refusal.ts'
import { beginSession } from '../operations/begin-session.ts'
import { endSession } from '../operations/end-session.ts'
import { perform } from '../operations/kernel/perform.ts'
import { readResults } from '../operations/read-results.ts'
import { refuseUnwritable, writeReport } from './junit.ts'
import { narrator } from './narrate.ts'
import { rest, startSupervisor, type Supervisor } from './supervisor.ts'
import type { World } from './world.ts'

export type Rest = Awaited<ReturnType<typeof rest>>

export interface HeadlessOptions {
  readonly untilIdle: boolean
  readonly maxParallel: number | null
  /** Where a JUnit report of the session's tasks is to be written at the end. */
  readonly report?: string | null
  readonly line: (text: string) => void
  /** Ends the run early; what runs goes on without us. */
  readonly signal: AbortSignal
}

/** Supervises without a console: tells what happens, a line an event, until nothing moves any more or it is stopped. */
export const superviseHeadless = async (world: World, options: HeadlessOptions): Promise<Rest> => {
  const report = options.report ?? null
  if (report !== null) refuseUnwritable(report)
  const session = await perform(world.core, beginSession, {}, person)
  return narrated(world, options, async (supervisor) => {
    if (!options.untilIdle) await aborted(options.signal)
    else await Promise.race([supervisor.untilIdle(), aborted(options.signal)])
    const found = await rest(world)
    if (options.untilIdle && !options.signal.aborted) await end(world)
    if (report !== null) {
      const results = await perform(world.core, readResults, { since: session.startedAt }, world.actor)
      writeReport(report, { name: session.id, startedAt: session.startedAt, results })
    }
    return found
  })
}

/** Runs `work` under a supervisor while every event is told. */
export const narrated = async <T>(world: World, { maxParallel, line }: Pick<HeadlessOptions, 'maxParallel' | 'line'>, work: (supervisor: Supervisor) => Promise<T>): Promise<T> => {
  const { tell } = await narrator(world, line)
  const supervisor = startSupervisor({ ...world, report: (sentence) => line(sentence) }, { maxParallel: maxParallel ?? world.core.settings.session.maxParallel })
  let telling = true
  const follow = (async () => {
    for (let version = -1; telling; await sleep(100)) {
      if (version === (version = world.core.store.version())) continue
      await tell()
    }
  })()
  try {
    return await work(supervisor)
  } finally {
    await supervisor.stop()
    telling = false
    await follow
    await tell()
  }
}

/** The session ends as its tasks did; where that is refused, as failed. */
const end = async (world: World): Promise<void> => {
  try {
    await perform(world.core, endSession, {}, person)
  } catch (error) {
    if (!isRefusal(error)) throw error
    await perform(world.core, endSession, { status: 'failed' }, person)
  }
}

const aborted = (signal: AbortSignal): Promise<void> => new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true })))
