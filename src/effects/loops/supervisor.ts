import { setTimeout as sleep } from 'node:timers/promises'
import { isRefusal } from '../../domain/rules/refusal.ts'
import { asRefusal } from '../../domain/rules/system-error.ts'
import { perform } from '../../operations/door/perform.ts'
import { SUPERVISOR } from '../../operations/door/supervision.ts'
import { releaseLease } from '../../operations/loops/release-lease.ts'
import { BEAT, nextBeat } from './beat.ts'
import { Dispatcher } from './dispatcher.ts'
import { hooksOf } from '../hooks/hooks.ts'
import { radarJobsOf } from '../radar/notes.ts'
import { closeRadar } from '../radar/of-world.ts'
import { type SessionFiles, sessionFilesOf } from '../session-files/files.ts'
import { jobsOf, look } from './jobs.ts'
import { followJobs, renewLiving, sweepSilent } from './periodic.ts'
import type { Job } from './job.ts'
import { RunningJobs } from './running-jobs.ts'
import { trashJobsOf } from '../archive/trash-jobs.ts'
import { watchJobsOf } from '../watch/jobs.ts'
import { supervising, type World } from '../world.ts'
import { remainingWork, takeSupervision } from './supervision.ts'

/** Duration of the supervisor lease, interval of the loops, …; all in ms. */
const pace = { ttl: 10_000, look: 1000, sweep: 5000, output: 2000, foreign: 5000, behind: 20, stood: 15_000 } as const

type Wishes = Awaited<ReturnType<typeof look>>

export interface Supervisor {
  /** Whether this process runs the loops now, and the process that does otherwise. */
  standing(): { readonly here: boolean; readonly pid: number | null }
  /** Resolves when nothing moves by itself any more. Meaningful only while this process supervises. */
  untilIdle(): Promise<Awaited<ReturnType<typeof remainingWork>>>
  stop(): Promise<void>
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
export const startSupervisor = (world: World, options: { maxParallel: number }): Supervisor =>
  new Loops(world, options.maxParallel)

/** All times in here are of the monotonic clock (ms). */
class Loops implements Supervisor {
  readonly #world: World
  readonly #acting: World
  readonly #maxParallel: number
  /** If the leases of tasks are short, a successor must take over before they expire. */
  readonly #ttl: number
  readonly #jobs: RunningJobs
  readonly #dispatcher: Dispatcher
  readonly #files: SessionFiles
  /** Further sources of jobs, each asked once a turn. */
  readonly #sources: readonly ((wishes: Wishes, now: number) => readonly Job[] | Promise<readonly Job[]>)[]
  readonly #firstSeenDead = new Map<string, number>()
  readonly #due = { lease: 0, renewal: 0, sweep: 0, look: 0, output: 0 }
  readonly #ended: Promise<void>
  /** When the loops last began a turn. */
  #turned = performance.now()
  #standing = { here: false, pid: null as number | null }
  /** The number of its last term as supervisor. */
  #term = 0
  #stopped = false
  /** The runs at the last look. */
  #runs: Wishes['runs'] = []
  /** The version of the database before the last turn, and at the last turn that found nothing to do. */
  #version = -1
  #quietAt = -1

  constructor(world: World, maxParallel: number) {
    this.#world = world
    this.#acting = supervising(world, () => this.#term)
    this.#maxParallel = maxParallel
    this.#ttl = Math.min(pace.ttl, Math.max(1000, world.core.settings.lease.ttl))
    this.#jobs = new RunningJobs((sentence) => world.report(sentence), pace.look)
    this.#dispatcher = new Dispatcher(this.#acting, this.#jobs, maxParallel)
    this.#files = sessionFilesOf(this.#acting)
    const hookJobs = hooksOf(this.#acting)
    const trashJobs = trashJobsOf(this.#acting, performance.now())
    const watchJobs = watchJobsOf(this.#acting)
    this.#sources = [
      (wishes, now) => hookJobs(wishes.lastEvent, now),
      (wishes, now) => this.#files.jobs(wishes, now),
      radarJobsOf(this.#acting),
      (_wishes, now) => trashJobs(now),
      (_wishes, now) => watchJobs(now),
    ]
    this.#ended = this.#run()
  }

  standing(): { readonly here: boolean; readonly pid: number | null } {
    // Before the first try for the lease there is nothing to report to a person.
    return this.#due.lease === 0 ? { here: true, pid: null } : this.#standing
  }

  async untilIdle(): Promise<Awaited<ReturnType<typeof remainingWork>>> {
    for (let still = 0; ; await sleep(BEAT)) {
      // If another process supervises, its loops are idle when nothing has moved for a while.
      const { here } = this.#standing
      const quiet = !here || (this.#jobs.count === 0 && this.#quietAt === this.#world.core.store.version())
      if (!this.#stopped && !quiet) continue
      const found = await remainingWork(this.#world)
      // Work that has become due since the last pass starts with the next one.
      const moving = found.moving || (here && this.#dispatcher.isDue(performance.now()))
      still = moving ? 0 : still + BEAT
      if (this.#stopped || (!moving && (here || still >= pace.foreign))) return found
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#ended
    this.#jobs.begin('radar ends', () => closeRadar(this.#world))
    // Waits a moment for running work; the rows keep the rest for the next supervisor.
    for (let tries = 0; this.#jobs.count > 0 && tries < 50; tries++) await sleep(BEAT)
    if (this.#standing.here) await closing(this.#world, this.#files)
    await perform(this.#world.core, releaseLease, { name: SUPERVISOR, holder: this.#world.holder }, this.#world.actor)
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#turn()
      } catch (error) {
        if (isRefusal(error) && error.code === 'stale_supervisor') this.#standing = { here: false, pid: null }
        else
          this.#world.report(
            asRefusal(error)?.message ?? `supervisor: ${error instanceof Error ? error.stack : String(error)}`,
          )
        await sleep(1000)
      }
      await nextBeat()
      // A console in this process checks at the same beat: it draws the commit first.
      if (this.#world.core.store.version() !== this.#version) await sleep(pace.behind)
    }
  }

  async #turn(): Promise<void> {
    const now = performance.now()
    const stood = now - this.#turned > pace.stood
    this.#turned = now
    if (stood) await this.#standStill(now)
    if (now >= this.#due.lease) await this.#takeLease(now)
    if (!this.#standing.here) return
    this.#talk(now)
    const changed = this.#world.core.store.version()
    if (changed === this.#version && now < this.#due.look && !this.#files.isDue(now)) return
    this.#due.look = now + pace.look
    this.#quietAt = (await this.#work(now)) ? changed : -1
    // The version before the work, so that commits made meanwhile, including our own, are read again.
    this.#version = changed
  }

  /** Agents are listened to at every beat: a person may be waiting for a question of theirs. */
  #talk(now: number): void {
    for (const run of this.#acting.talks.due(this.#acting, this.#runs)) {
      const key = `talk ${run.agentId}`
      if (this.#jobs.mayBegin(key, now)) this.#jobs.begin(key, () => this.#acting.talks.pump(this.#acting, run))
    }
  }

  /**
   * While this process was stopped (a suspended machine, swap), no agent could send it a heartbeat: every holder of a
   * lease gets a whole term before the first sweep.
   */
  async #standStill(now: number): Promise<void> {
    const { heartbeat } = this.#world.core.settings.lease
    if (!this.#standing.here) return
    const lease = await takeSupervision(this.#world, this.#ttl)
    if (lease.granted) {
      this.#term = lease.term
      await sweepSilent(this.#acting, true)
    }
    this.#due.sweep = Math.max(this.#due.sweep, now + heartbeat)
  }

  async #takeLease(now: number): Promise<void> {
    this.#due.lease = now + this.#ttl / 3
    const lease = await takeSupervision(this.#world, this.#ttl)
    if (lease.granted) this.#term = lease.term
    if (lease.granted && !this.#standing.here) this.#due.look = this.#due.renewal = 0
    this.#standing = { here: lease.granted, pid: lease.holderPid }
  }

  /** One pass over all work; true if there was none. */
  async #work(now: number): Promise<boolean> {
    // Work that begins in this term ends with it.
    const acting = { ...this.#acting }
    const wishes = await look(acting)
    this.#runs = wishes.runs
    if (now >= this.#due.renewal) {
      this.#due.renewal = now + this.#world.core.settings.lease.heartbeat
      await renewLiving(acting, wishes, this.#firstSeenDead, now)
    }
    if (now >= this.#due.sweep) {
      this.#due.sweep = now + pace.sweep
      await sweepSilent(acting)
    }
    const jobs = (await this.#jobsOf(acting, wishes, now)).filter(({ key }) => this.#jobs.mayBegin(key, now))
    for (const job of jobs)
      this.#jobs.begin(
        job.key,
        () => job.run(),
        () => (this.#due.look = 0),
      )
    const resting = this.#dispatcher.restsUntil(wishes, now)
    if (resting !== undefined) this.#due.look = Math.min(this.#due.look, resting)
    const started = resting !== undefined || (await this.#dispatcher.dispatch(wishes, now))
    return jobs.length === 0 && !started && this.#jobs.count === 0
  }

  async #jobsOf(acting: World, wishes: Wishes, now: number): Promise<readonly Job[]> {
    const follow = now >= this.#due.output ? followJobs(acting, wishes) : []
    if (follow.length > 0) this.#due.output = now + pace.output
    const jobs = [
      ...jobsOf(acting, this.#dispatcher.startable(wishes), this.#firstSeenDead, now, this.#maxParallel),
      ...follow,
    ]
    for (const source of this.#sources) jobs.push(...(await source(wishes, now)))
    return jobs
  }
}
