import { setTimeout as sleep } from 'node:timers/promises'
import { isLasting, isRefusal, type Refusal } from '../../domain/rules/refusal.ts'
import { asRefusal } from '../../domain/rules/system-error.ts'
import { BEAT, nextBeat } from './beat.ts'
import { Dispatcher } from './dispatcher.ts'
import { BoardTrouble, type CutOff, cutOffOf } from '../hosts/outage.ts'
import { closeRadar } from '../radar/radar.ts'
import { type SessionFiles, sessionFilesOf } from '../session-files/session-files.ts'
import { beginTalks, jobsOf, wishesOf, wantedHere } from './jobs.ts'
import { followJobs, renewLiving, sweepSilent } from './periodic.ts'
import type { Job, Wishes } from '../job.ts'
import { MostAtOnce } from '../guard/trusted-configuration.ts'
import { RunningJobs } from './running-jobs.ts'
import { type Sources, sourcesOf } from './sources.ts'
import { hostRoleOf, leaderOf, type Role } from './roles.ts'
import { freshWishesOf } from '../wishes.ts'
import type { World } from '../world.ts'
import { closing, heldBy, lookingOn, untilIdle, untilStill } from './supervision.ts'
import type { RemainingWork, Supervisor, SupervisorOptions } from './supervision.ts'

/** Duration of the supervisor lease, interval of the loops, …; all in ms. */
const pace = { ttl: 10_000, look: 1000, sweep: 5000, output: 2000, behind: 20, stood: 15_000 } as const

/**
 * Runs the loops of this host, and those that plan for the board, while this process holds their leases; it tries to take
 * them otherwise. A checkout that has not joined its board as a host only looks.
 */
export const startSupervisor = (world: World, options: SupervisorOptions): Supervisor =>
  world.core.host === null ? lookingOn(world) : new Loops(world, options)

/** All times in here are of the monotonic clock (ms). */
class Loops implements Supervisor {
  readonly #world: World
  /** Plans for the board. */
  readonly #leader: Role
  /** Has what lies on this host; on a board with one host, the same role. */
  readonly #host: Role
  readonly #roles: readonly Role[]
  readonly #options: SupervisorOptions
  /** If the leases of tasks are short, a successor must take over before they expire. */
  readonly #ttl: number
  readonly #jobs: RunningJobs
  readonly #dispatcher: Dispatcher
  readonly #files: SessionFiles
  /** Further sources of jobs, each asked once a turn. */
  readonly #sources: Sources
  /** Pauses the agents of this host while the board is out of reach for too long. */
  readonly #cutOff: CutOff
  readonly #firstSeenDead = new Map<string, number>()
  readonly #due = { lease: 0, renewal: 0, sweep: 0, look: 0, output: 0 }
  readonly #ended: Promise<void>
  /** When the loops last began a turn. */
  #turned = performance.now()
  #stopped = false
  /** The runs at the last look, and how much the rows wanted of this host. */
  #runs: Wishes['runs'] = []
  #wanted = 1
  /** The version of the database before the last turn, at the last turn that found nothing to do, and the newest event. */
  #version = -1
  #quietAt = -1
  #seen = -1
  readonly #trouble: BoardTrouble

  constructor(world: World, options: SupervisorOptions) {
    this.#options = options
    this.#world = world
    this.#trouble = new BoardTrouble(world.report)
    this.#leader = leaderOf(world)
    this.#host = hostRoleOf(world, options) ?? this.#leader
    this.#roles = [...new Set([this.#host, this.#leader])]
    this.#ttl = Math.min(pace.ttl, Math.max(1000, world.core.settings.lease.ttl))
    this.#jobs = new RunningJobs((sentence) => world.report(sentence), pace.look, this.#trouble.isOutage)
    this.#dispatcher = new Dispatcher(this.#leader.acting, this.#jobs, new MostAtOnce(world, options.maxParallel))
    this.#files = sessionFilesOf(this.#host.acting)
    this.#sources = sourcesOf(this.#host.acting, this.#leader.acting, this.#files)
    this.#cutOff = cutOffOf(world)
    this.#ended = this.#run()
  }

  standing(): ReturnType<Supervisor['standing']> {
    // Before the first try for the lease there is nothing to report to a person.
    const known = this.#due.lease === 0 ? { here: true, pid: null } : this.#host.standing
    return { ...known, most: this.#dispatcher.most.now, closed: this.#trouble.closed ?? null }
  }

  untilIdle(): Promise<RemainingWork> {
    return untilIdle(this.#world, () => {
      const here = this.#leader.here && this.#host.here
      return {
        stopped: this.#stopped,
        here,
        quiet: !here || (this.#jobs.count === 0 && this.#quietAt === this.#world.core.store.version()),
        due: here && this.#dispatcher.isDue(performance.now()),
        sawAll: async () => {
          if ((await freshWishesOf(this.#world)).lastEvent === this.#seen) return true
          this.#due.look = 0
          return false
        },
      }
    })
  }

  untilStill(): Promise<void> {
    return untilStill(this.#world, () => {
      const { here, pid } = this.#host.standing
      if (!this.#stopped && !here && pid !== null) throw heldBy(pid)
      return { stopped: this.#stopped, moving: !here || this.#wanted > 0 }
    })
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#ended
    this.#cutOff.end()
    this.#jobs.begin('radar ends', () => closeRadar(this.#world))
    // Waits a moment for running work; the rows keep the rest for the next supervisor.
    for (let tries = 0; this.#jobs.count > 0 && tries < 50; tries++) await sleep(BEAT)
    if (this.#host.here) await closing(this.#world, this.#files)
    for (const role of this.#roles) await role.release()
    this.#sources.close()
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#turn()
      } catch (error) {
        if (isRefusal(error) && error.code === 'stale_supervisor') this.#leader.lose()
        else if (isRefusal(error) && error.code === 'stale_host') this.#host.lose()
        else if (isRefusal(error) && error.code === 'host_forgotten') return this.#forgotten(error)
        else this.#failed(error)
        // No decision before the board has said that this process still may, and for how long it was away.
        this.#due.lease = Math.min(this.#due.lease, performance.now())
        await sleep(1000)
      }
      await nextBeat()
      // A console in this process checks at the same beat: it draws the commit first.
      if (this.#world.core.store.version() !== this.#version) await sleep(pace.behind)
    }
  }

  #forgotten(refusal: Refusal): void {
    this.#stopped = true
    ;(this.#options.forgotten ?? (() => this.#world.report(refusal.message)))(refusal)
  }

  #failed(error: unknown): void {
    const refusal = asRefusal(error)
    if (this.#trouble.met(refusal)) return
    if (refusal !== undefined && isLasting(refusal)) return this.#jobs.reportOnce('lasting', refusal.message)
    this.#world.report(refusal?.message ?? `supervisor: ${error instanceof Error ? error.stack : String(error)}`)
  }

  async #turn(): Promise<void> {
    const now = performance.now()
    const stood = now - this.#turned > pace.stood
    this.#turned = now
    if (stood || now >= this.#due.lease || (await this.#leader.isGivenBack())) await this.#takeRoles(now, stood)
    if (this.#host.here) beginTalks(this.#host.acting, this.#runs, this.#jobs, now)
    else if (!this.#leader.here) return
    const changed = this.#world.core.store.version()
    if (changed === this.#version && now < this.#due.look && !this.#files.isDue(now)) return
    this.#due.look = now + pace.look
    this.#quietAt = (await this.#work(now)) ? changed : -1
    // The version before the work, so that commits made meanwhile, including our own, are read again.
    this.#version = changed
  }

  /**
   * While this process was stopped (a suspended machine, swap), or no process could renew its role since the board was away,
   * no agent could send a heartbeat: every holder of a lease gets a whole term before the first sweep.
   */
  async #takeRoles(now: number, stood: boolean): Promise<void> {
    this.#due.lease = now + this.#ttl / 3
    const asked = performance.now()
    for (const role of this.#roles)
      if (await role.take(this.#ttl)) this.#due.look = this.#due.renewal = this.#due.sweep = 0
    if (this.#leader.here && (stood || this.#leader.lapsed > this.#ttl / 2)) {
      await sweepSilent(this.#leader.acting, { stood: true })
      this.#due.sweep = Math.max(this.#due.sweep, now + this.#world.core.settings.lease.heartbeat)
    }
    this.#trouble.written()
    this.#cutOff.answered(asked, this.#host.standing)
  }

  /** One pass over all work; true if there was none. */
  async #work(now: number): Promise<boolean> {
    // Work that begins in this term ends with it.
    const host = this.#host.here ? { ...this.#host.acting } : undefined
    const leader = this.#leader.here ? { ...this.#leader.acting } : undefined
    const wishes = await wishesOf(this.#world)
    this.#trouble.answered()
    this.#trouble.jumped(this.#world.core.store.jumped?.() ?? 0)
    this.#seen = wishes.lastEvent
    this.#wanted = wantedHere(wishes)
    await this.#dispatcher.most.reread()
    if (host) await this.#renew(host, wishes, now)
    if (leader && now >= this.#due.sweep) {
      const { newer } = await sweepSilent(leader, { first: this.#due.sweep === 0 })
      this.#due.sweep = now + pace.sweep
      if (newer !== undefined && (await this.#leader.leaveTo(newer, 2 * this.#ttl))) return false
    }
    const jobs = (await this.#jobsOf(host, leader, wishes, now)).filter(({ key }) => this.#jobs.mayBegin(key, now))
    for (const job of jobs)
      this.#jobs.begin(
        job.key,
        () => job.run(),
        () => (this.#due.look = 0),
      )
    const started = leader !== undefined && (await this.#dispatch(wishes, now))
    return jobs.length === 0 && !started && this.#jobs.count === 0
  }

  async #renew(host: World, wishes: Wishes, now: number): Promise<void> {
    this.#runs = wishes.runs
    this.#cutOff.watch(wishes.runs)
    if (now < this.#due.renewal) return
    this.#due.renewal = now + this.#world.core.settings.lease.heartbeat
    await renewLiving(host, wishes, this.#firstSeenDead, now)
  }

  /** True if a task was started, or may be soon. */
  async #dispatch(wishes: Wishes, now: number): Promise<boolean> {
    const resting = this.#dispatcher.restsUntil(wishes, now)
    if (resting !== undefined) this.#due.look = Math.min(this.#due.look, resting)
    return resting !== undefined || this.#dispatcher.dispatch(wishes, now)
  }

  async #jobsOf(
    host: World | undefined,
    leader: World | undefined,
    wishes: Wishes,
    now: number,
  ): Promise<readonly Job[]> {
    const jobs: Job[] = []
    if (host) {
      const startable = this.#dispatcher.startable(wishes)
      jobs.push(...jobsOf(host, startable, this.#firstSeenDead, now, this.#dispatcher.most.now))
      const follow = now >= this.#due.output ? followJobs(host, wishes) : []
      if (follow.length > 0) this.#due.output = now + pace.output
      jobs.push(...follow)
      for (const source of this.#sources.host) jobs.push(...(await source(wishes, now)))
    }
    if (leader) for (const source of this.#sources.leader) jobs.push(...(await source(wishes, now)))
    return jobs
  }
}
