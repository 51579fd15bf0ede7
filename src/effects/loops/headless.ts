import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { person } from '../../domain/agent/actor.ts'
import { isAway, isRefusal, isUndecided, Refusal } from '../../domain/rules/refusal.ts'
import { beginSession } from '../../operations/sessions/begin-session.ts'
import { listHosts } from '../../operations/hosts/list.ts'
import { endSession } from '../../operations/sessions/end.ts'
import { perform } from '../../operations/perform/perform.ts'
import { readResults } from '../../operations/sessions/results.ts'
import { refuseUnwritable, writeReport } from '../metrics/junit.ts'
import { eventPrinter } from './print-events.ts'
import { startSupervisor } from './supervisor.ts'
import { type RemainingWork, remainingWork, type Supervisor, type SupervisorOptions } from './supervision.ts'
import { untilAnswered } from '../hosts/outage.ts'
import type { World } from '../world.ts'

export interface HeadlessOptions {
  readonly untilIdle: boolean
  readonly maxParallel: number | null
  /** Path for a JUnit report of the session's tasks, written at the end. */
  readonly report?: string | null
  readonly line: (text: string) => void
  /** Ends the run early; running agents continue. */
  readonly signal: AbortSignal
}

/** Supervises without a console: prints one line per event until nothing moves any more or it is stopped. */
export const superviseHeadless = async (world: World, options: HeadlessOptions): Promise<RemainingWork> => {
  const { signal, untilIdle } = options
  const report = options.report ?? null
  if (report !== null) refuseUnwritable(report)
  const session = await perform(world.core, beginSession, {}, person)
  const { id: name, startedAt } = session
  return narrated(world, options, async (supervisor) => {
    try {
      await (untilIdle ? Promise.race([supervisor.untilIdle(), aborted(signal)]) : aborted(signal))
      const found = await untilAnswered(() => remainingWork(world), signal)
      if (untilIdle && !signal.aborted) await end(world, signal)
      if (report !== null) {
        const read = () => perform(world.core, readResults, { since: startedAt }, world.actor)
        writeReport(report, { name, startedAt, results: await untilAnswered(read, signal) })
      }
      return found
    } catch (error) {
      // A pipeline reads the report whatever the exit code is, and an old one would pass for this run's.
      if (report !== null && isUndecided(error))
        writeReport(report, { name, startedAt, results: [], unknown: error.message })
      throw error
    }
  })
}

export interface WorkOptions extends Pick<SupervisorOptions, 'maxHere' | 'labels'> {
  /** Ends when nothing runs on this host and nothing waits for it. */
  readonly once?: boolean
}

/** Runs the loops of this host until the signal; plans for the board too while no other process does. */
export const work = async (
  world: World,
  { once, line, signal, ...here }: Pick<HeadlessOptions, 'line' | 'signal'> & WorkOptions,
): Promise<void> => {
  if (world.core.host === null)
    throw new Refusal(
      'invalid_state',
      "This checkout is no host of the board. Run 'aiswarm fleet join-code' on one of its hosts, then 'aiswarm fleet join' here.",
    )
  let refusal: Refusal | undefined
  const forgotten = Promise.withResolvers<void>()
  const end = (given: Refusal): void => {
    refusal = given
    forgotten.resolve()
  }
  await narrated(world, { maxParallel: null, ...here, forgotten: end, line }, async (supervisor) => {
    await unlessAway(async () => line(await beginning(world)))
    const stop = new AbortController()
    const told = tellOfOther(supervisor, line, stop.signal)
    try {
      await Promise.race([aborted(signal), forgotten.promise, ...(once ? [supervisor.untilStill()] : [])])
    } finally {
      stop.abort()
      await told
    }
  })
  if (refusal) throw refusal
}

/** A quiet board prints nothing for long: a person must see that the worker is there. */
const beginning = async ({ core, actor }: World): Promise<string> => {
  const own = (await perform(core, listHosts, {}, actor)).find(({ here }) => here)
  return `The worker of host ${own?.name ?? 'local'} has started. Ctrl-C ends it; its agents continue.`
}

/** Says that another process of this host runs its agents, and when this one does. */
const tellOfOther = async (
  supervisor: Supervisor,
  line: HeadlessOptions['line'],
  signal: AbortSignal,
): Promise<void> => {
  let waits = false
  for (; !signal.aborted; await sleep(100)) {
    const { here, pid } = supervisor.standing()
    if (!waits && !here && pid !== null)
      line(`Process ${pid} runs the agents of this host already. This worker continues when that ends.`)
    if (waits && here) line('This worker runs the agents of this host now.')
    if (here || pid !== null) waits = !here
  }
}

/** Runs `work` under a supervisor and prints every event. */
export const narrated = async <T>(
  world: World,
  {
    maxParallel,
    line,
    ...here
  }: Pick<HeadlessOptions, 'maxParallel' | 'line'> & Omit<SupervisorOptions, 'maxParallel'>,
  work: (supervisor: Supervisor) => Promise<T>,
): Promise<T> => {
  const { tell } = await eventPrinter(world, line)
  const supervisor = startSupervisor(
    { ...world, report: (sentence) => line(sentence) },
    {
      maxParallel,
      ...here,
    },
  )
  let telling = true
  const follow = (async () => {
    for (let version = -1; telling; await sleep(100)) {
      const now = world.core.store.version()
      if (now !== version && (await unlessAway(tell))) version = now
    }
  })()
  try {
    return await work(supervisor)
  } finally {
    await supervisor
      .stop()
      // A role that is not given back, because the board is away, ends with its term.
      .catch((error: unknown) => {
        if (!isAway(error)) throw error
        line(error.message)
      })
      .finally(() => {
        telling = false
      })
    await follow
    await unlessAway(tell)
  }
}

/** False if the board could not be read: the loops say so, and the next turn tells what was missed. */
const unlessAway = async (tell: () => Promise<void>): Promise<boolean> => {
  try {
    await tell()
    return true
  } catch (error) {
    if (!isRefusal(error)) throw error
    return false
  }
}

/** The session ends with its tasks' result; as failed if they block each other for good. */
const end = async (world: World, signal: AbortSignal): Promise<void> => {
  const ended = async (input: z.input<typeof endSession.input>): Promise<void> => {
    const requestId = randomUUID()
    await untilAnswered(() => perform(world.core, endSession, input, person, { requestId }), signal)
  }
  try {
    await ended({})
  } catch (error) {
    if (!isRefusal(error) || error.code !== 'blocked') throw error
    await ended({ status: 'failed' })
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }),
  )
