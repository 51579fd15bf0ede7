import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { person } from '../../domain/agent/actor.ts'
import { waitingPlace } from '../../domain/request/inbox.ts'
import { isAway, isRefusal, isUndecided, Refusal } from '../../domain/rules/refusal.ts'
import { eventSentence } from '../../domain/session/event-sentence.ts'
import type { RecordedOperation } from '../../domain/session/replay.ts'
import { safeText } from '../../domain/words/safe-text.ts'
import { clockTime, instant } from '../../domain/words/time.ts'
import { listHosts } from '../../operations/hosts/list.ts'
import { perform } from '../../operations/perform/perform.ts'
import { readBoard } from '../../operations/screens/board.ts'
import { beginSession } from '../../operations/sessions/begin-session.ts'
import { endSession } from '../../operations/sessions/end.ts'
import { readResults } from '../../operations/sessions/results.ts'
import { listEvents } from '../../operations/sessions/sessions.ts'
import { cancelTask } from '../../operations/tasks/cancel.ts'
import { getTask, type TaskDetail } from '../../operations/tasks/detail.ts'
import { untilAnswered } from '../hosts/outage.ts'
import { wishesOf } from '../wishes.ts'
import type { World } from '../world.ts'
import { nextChange } from './changes.ts'
import { refuseUnwritable, writeReport } from './junit.ts'
import type { SupervisorOptions } from './roles.ts'
import { remainingWork, type RemainingWork, startSupervisor, type Supervisor } from './supervisor.ts'

interface HeadlessOptions {
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

interface WorkOptions extends Pick<SupervisorOptions, 'maxHere' | 'labels'> {
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

interface RunTasksOptions {
  /** True: until every task has had its attempt. False: until those that may start now have started. */
  readonly wait: boolean
  readonly line: (text: string) => void
  /** Ends the wait early; running agents continue. */
  readonly signal: AbortSignal
}

/** Supervises until these tasks have had one attempt each, and returns their final state. */
export const runTasks = async (
  world: World,
  taskIds: readonly number[],
  { wait, line, signal }: RunTasksOptions,
): Promise<readonly TaskDetail[]> =>
  narrated(world, { maxParallel: null, line }, async () => {
    const read = () => Promise.all(taskIds.map((taskId) => perform(world.core, getTask, { taskId }, world.actor)))
    const look = async () => {
      const tasks = await read()
      return { tasks, ended: wait ? tasks.every(isOver) : await haveStarted(world, tasks) }
    }
    for (;;) {
      const version = world.core.store.version()
      const { tasks, ended } = await untilAnswered(look, signal)
      if (signal.aborted || ended) return wait && !signal.aborted ? closed(world, tasks, signal) : tasks
      await nextChange(world.core.store, version, 1000, signal)
    }
  })

const isOver = ({ status, attempts }: TaskDetail): boolean =>
  ['completed', 'failed', 'cancelled'].includes(status) || attempts.some((attempt) => attempt.endedAt !== null)

/** True if none of them starts now: each is running, has ended, or waits for room or for another. */
const haveStarted = async (world: World, tasks: readonly TaskDetail[]): Promise<boolean> => {
  const { runs } = await wishesOf(world)
  if (runs.some((run) => run.process === 'wanted')) return false
  const room = world.core.settings.session.maxParallel - runs.filter((run) => run.process === 'started').length
  const now = instant(Date.now())
  return (
    room <= 0 ||
    tasks.every(
      (task) =>
        task.status !== 'pending' ||
        task.blockedBy.length > 0 ||
        (task.notBefore ?? '') > now ||
        runs.some((run) => run.agentId === task.wantedAgentId),
    )
  )
}

/**
 * An attempt that ended without failing the task (its program is missing, its process was lost) leaves the task open,
 * although only one attempt was requested.
 */
const closed = async (
  world: World,
  tasks: readonly TaskDetail[],
  signal: AbortSignal,
): Promise<readonly TaskDetail[]> =>
  Promise.all(
    tasks.map(async (task) => {
      if (task.status !== 'pending') return task
      const cancelled = { taskId: task.id, reason: task.errorMessage ?? 'its only attempt has ended' }
      const requestId = randomUUID()
      await untilAnswered(() => perform(world.core, cancelTask, cancelled, person, { requestId }), signal)
      return untilAnswered(() => perform(world.core, getTask, { taskId: task.id }, world.actor), signal)
    }),
  )

/**
 * Prints one line per event from its creation on, and one line for each request that needs a person, with the command
 * that answers it. `tell` prints the new ones. If the board is away at first, the events begin when it answers.
 */
const eventPrinter = async (world: World, line: (text: string) => void): Promise<{ tell: () => Promise<void> }> => {
  const { core, actor } = world
  const newest = async (): Promise<number> => (await perform(core, listEvents, { limit: 1 }, actor)).at(-1)?.id ?? 0
  let afterId = await newest().catch((error: unknown) => {
    if (!isAway(error)) throw error
    return undefined
  })
  const titles = new Map<number, string>()
  const title = async (id: number): Promise<string> => {
    const known = titles.get(id) ?? (await perform(core, getTask, { taskId: id }, actor)).title
    titles.set(id, known)
    return `task ${id} (${safeText(known)})`
  }
  let waiting: ReadonlySet<string> = new Set()
  const needsYou = async (): Promise<void> => {
    const { attention } = await perform(core, readBoard, { before: 0, after: 1 }, actor)
    for (const item of attention)
      if (!waiting.has(waitingPlace(item)))
        line(`${clockTime(core.clock())}  needs you: ${safeText(item.text)}: ${safeText(item.command)}`)
    waiting = new Set(attention.map(waitingPlace))
  }
  let turn: Promise<void> = Promise.resolve()
  const tell = async (): Promise<void> => {
    afterId ??= await newest()
    for (const event of await perform(core, listEvents, { afterId, limit: 1000 }, actor)) {
      afterId = event.id
      if (silent.has(event.operation)) continue
      const task = event.taskId === null ? '' : await title(event.taskId)
      line(`${clockTime(event.at)}  ${eventSentence(event, () => task)}`)
    }
    await needsYou()
  }
  // One that failed does not keep the next one away.
  return { tell: () => (turn = turn.catch(() => {}).then(tell)) }
}

/** Steps of the agents and of the loops that a reader of a whole run can do without. */
const silent: ReadonlySet<string> = new Set<RecordedOperation>([
  'accept_checkout',
  'add_conversation',
  'add_execution',
  'adopt_configuration',
  'answer_request',
  'ask_human',
  'begin_move',
  'begin_verification',
  'claim_task',
  'create_subtask',
  'deregister_agent',
  'dispatch',
  'end_verification',
  'lease_port',
  'pause_scheduling',
  'put_back_target',
  'record_checkout',
  'record_delivery',
  'record_guard',
  'record_restack',
  'record_target',
  'record_turns',
  'record_worktree',
  'register_agent',
  'reject_integration',
  'report_task_progress',
  'request_permission',
  'set_persona',
  'spawn_agent',
  'start_session',
  'start_task',
  'sync_personas',
  'trust_configuration',
  'undo_integration',
])
