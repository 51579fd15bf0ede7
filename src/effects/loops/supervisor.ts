import { setTimeout as sleep } from 'node:timers/promises'
import { isRefusal } from '../../domain/rules/refusal.ts'
import { asRefusal } from '../../domain/rules/system-error.ts'
import { milliseconds } from '../../domain/words/time.ts'
import { perform } from '../../operations/door/perform.ts'
import { SUPERVISOR } from '../../operations/door/supervision.ts'
import { readRest } from '../../operations/sessions/read-rest.ts'
import { releaseLease } from '../../operations/loops/release-lease.ts'
import { takeLease } from '../../operations/loops/take-lease.ts'
import { BEAT, nextBeat } from './beat.ts'
import { isDeadHolder } from '../processes/holder.ts'
import { whyHold } from './holds.ts'
import { hooksOf } from '../hooks/hooks.ts'
import { radarJobsOf } from '../radar/notes.ts'
import { closeRadar } from '../radar/of-world.ts'
import { type SessionFiles, sessionFilesOf } from '../session-files/files.ts'
import { dispatchTasks, followJobs, jobsOf, look, renewLiving, sweepSilent } from './jobs.ts'
import { trashJobsOf } from '../archive/trash-jobs.ts'
import { watchJobsOf } from '../watch/jobs.ts'
import { supervising, type World } from '../world.ts'

/** Duration of the supervisor lease, interval of the loops, …; all in ms. */
const pace = { ttl: 10_000, look: 1000, sweep: 5000, output: 2000, foreign: 5000, behind: 20, stood: 15_000, due: 30_000 } as const

export interface Supervisor {
  /** Whether this process runs the loops now, and the process that does otherwise. */
  standing(): { readonly here: boolean; readonly pid: number | null }
  /** Resolves when nothing moves by itself any more. Meaningful only while this process supervises. */
  untilIdle(): Promise<Awaited<ReturnType<typeof rest>>>
  stop(): Promise<void>
}

export const rest = (world: World) => perform(world.core, readRest, {}, world.actor)

/** A killed holder does not supervise: no process has to wait for the end of its term. */
const takeSupervision = async (world: World, ttl: number) => {
  const ask = () => perform(world.core, takeLease, { name: SUPERVISOR, holder: world.holder, pid: process.pid, ttl }, world.actor)
  const lease = await ask()
  if (lease.granted || !isDeadHolder(lease.holder)) return lease
  await perform(world.core, releaseLease, { name: SUPERVISOR, holder: lease.holder }, world.actor)
  return ask()
}

/** Reports an error, because a file that cannot be written must not prevent the end. */
const closing = async (world: World, files: SessionFiles): Promise<void> => {
  try {
    await files.close()
  } catch (error) {
    world.report(asRefusal(error)?.message ?? `session files: ${error instanceof Error ? error.stack : String(error)}`)
  }
}

/** Runs the loops while this process holds the supervisor lease, and tries to take the lease otherwise. */
export const startSupervisor = (world: World, options: { maxParallel: number }): Supervisor => {
  const acting = supervising(world)
  const hookJobs = hooksOf(acting)
  const files = sessionFilesOf(acting)
  const radarJobs = radarJobsOf(acting)
  const trashJobs = trashJobsOf(acting, performance.now())
  const watchJobs = watchJobsOf(acting)
  // If the leases of tasks are short, a successor must take over before they expire.
  const ttl = Math.min(pace.ttl, Math.max(1000, world.core.settings.lease.ttl))
  const busy = new Set<string>()
  const firstSeenDead = new Map<string, number>()
  /** The last failure of each piece of work: it is retried every second, but reported once. */
  const told = new Map<string, string>()
  /** The time until which each failed piece of work is not retried. */
  const resting = new Map<string, number>()
  /** When the loops last began a turn. All times here are of the monotonic clock. */
  let turned = performance.now()
  const due = { lease: 0, renewal: 0, sweep: 0, look: 0, output: 0 }
  let standing = { here: false, pid: null as number | null }
  let planned = { event: -1, again: 0, rested: 0 }
  let stopped = false
  let version = -1
  // The version of the database at which the loops last found nothing to do.
  let quietAt = -1

  /**
   * While this process was stopped (a suspended machine, swap), no agent could send it a heartbeat: every holder of a
   * lease gets a whole term before the first sweep.
   */
  const standStill = async (now: number): Promise<void> => {
    const { heartbeat } = world.core.settings.lease
    if (!standing.here) return
    const lease = await takeSupervision(world, ttl)
    if (lease.granted) await sweepSilent(acting, true)
    due.sweep = Math.max(due.sweep, now + heartbeat)
  }

  const turn = async (): Promise<void> => {
    const now = performance.now()
    const stood = now - turned > pace.stood
    turned = now
    if (stood) await standStill(now)
    if (now >= due.lease) {
      due.lease = now + ttl / 3
      const lease = await takeSupervision(world, ttl)
      if (lease.granted && !standing.here) due.look = due.renewal = 0
      standing = { here: lease.granted, pid: lease.holderPid }
    }
    if (!standing.here) return
    const changed = world.core.store.version()
    if (changed === version && now < due.look && !files.isDue(now)) return
    due.look = now + pace.look
    quietAt = (await work(now)) ? changed : -1
    // The version before the work, so that commits made meanwhile, including our own, are read again.
    version = changed
  }

  /** One pass over all work; true if there was none. */
  const work = async (now: number): Promise<boolean> => {
    const wishes = await look(acting)
    if (now >= due.renewal) {
      due.renewal = now + world.core.settings.lease.heartbeat
      await renewLiving(acting, wishes, firstSeenDead, now)
    }
    if (now >= due.sweep) {
      due.sweep = now + pace.sweep
      await sweepSilent(acting)
    }
    const follow = now >= due.output ? followJobs(acting, wishes) : []
    if (follow.length > 0) due.output = now + pace.output
    const jobs = [
      ...jobsOf(acting, startable(wishes), firstSeenDead, now, options.maxParallel),
      ...follow,
      ...(await hookJobs(wishes.lastEvent, now)),
      ...files.jobs(wishes, now),
      ...radarJobs(wishes, now),
      ...trashJobs(now),
      ...(await watchJobs(now)),
    ].filter((job) => !busy.has(job.key) && now >= (resting.get(job.key) ?? 0))
    for (const job of jobs) begin(job.key, () => job.run())
    const started = await dispatchIfDue(wishes, now)
    return jobs.length === 0 && !started && busy.size === 0
  }

  /** The wishes without new runs while nothing may be started; they stay in the rows. */
  const startable = (wishes: Awaited<ReturnType<typeof look>>) =>
    whyHold(world) === undefined ? wishes : { ...wishes, runs: wishes.runs.filter((run) => run.process !== 'wanted' || run.stopRequestedAt !== null) }

  /** Starts ready tasks after an event or when a retry is due; true if a task started or the check is still to come. */
  const dispatchIfDue = async ({ lastEvent, nextDue }: Awaited<ReturnType<typeof look>>, now: number): Promise<boolean> => {
    if (lastEvent === planned.event && now < planned.again) return false
    if (now < planned.rested) {
      due.look = Math.min(due.look, planned.rested)
      return true
    }
    const hold = whyHold(world)
    if (hold !== undefined) {
      if (told.get('dispatch') !== hold) world.report(`Nothing is started: ${hold}.`)
      told.set('dispatch', hold)
      return false
    }
    told.delete('dispatch')
    const began = performance.now()
    const { started, missing } = await dispatchTasks(acting, options.maxParallel)
    // On a large board without a ready task a check takes long and seldom finds more, so it gets a tenth of the time.
    const rested = started.length > 0 ? 0 : performance.now() + Math.min(pace.look, 10 * (performance.now() - began))
    const wait = nextDue === null ? Infinity : milliseconds(nextDue) - milliseconds(world.core.clock())
    // The installation of a program leaves no event.
    planned = { event: lastEvent, again: nextDue === null && missing !== true ? Infinity : performance.now() + Math.min(pace.due, wait), rested }
    return started.length > 0
  }

  const begin = (key: string, job: () => Promise<boolean | void>): void => {
    busy.add(key)
    job()
      .then(
        () => {
          told.delete(key)
          resting.delete(key)
          due.look = 0
        },
        (error: unknown) => {
          const sentence = asRefusal(error)?.message ?? `${key}: ${error instanceof Error ? error.stack : String(error)}`
          if (told.get(key) !== sentence) world.report(sentence)
          told.set(key, sentence)
          resting.set(key, performance.now() + pace.look)
        },
      )
      .finally(() => busy.delete(key))
  }

  const loop = async (): Promise<void> => {
    while (!stopped) {
      try {
        await turn()
      } catch (error) {
        if (isRefusal(error) && error.code === 'stale_supervisor') standing = { here: false, pid: null }
        else world.report(asRefusal(error)?.message ?? `supervisor: ${error instanceof Error ? error.stack : String(error)}`)
        await sleep(1000)
      }
      await nextBeat()
      // A console in this process checks at the same beat: it draws the commit first.
      if (world.core.store.version() !== version) await sleep(pace.behind)
    }
  }
  const ended = loop()

  return {
    // Before the first try for the lease there is nothing to report to a person.
    standing: () => (due.lease === 0 ? { here: true, pid: null } : standing),
    untilIdle: async () => {
      for (let still = 0; ; await sleep(BEAT)) {
        // If another process supervises, its loops are idle when nothing has moved for a while.
        const { here } = standing
        const quiet = !here || (busy.size === 0 && quietAt === world.core.store.version())
        if (!stopped && !quiet) continue
        const found = await rest(world)
        // Work that has become due since the last pass starts with the next one.
        const moving = found.moving || (here && performance.now() >= planned.again)
        still = moving ? 0 : still + BEAT
        if (stopped || (!moving && (here || still >= pace.foreign))) return found
      }
    },
    stop: async () => {
      stopped = true
      await ended
      busy.add('radar ends')
      void closeRadar(world).finally(() => busy.delete('radar ends'))
      // Waits a moment for running work; the rows keep the rest for the next supervisor.
      for (let tries = 0; busy.size > 0 && tries < 50; tries++) await sleep(BEAT)
      if (standing.here) await closing(world, files)
      await perform(world.core, releaseLease, { name: SUPERVISOR, holder: world.holder }, world.actor)
    },
  }
}
