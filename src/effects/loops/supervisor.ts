import { setTimeout as sleep } from 'node:timers/promises'
import type { Supervision } from '../../contracts/console.ts'
import type { HostState } from '../../domain/host/host.ts'
import { isAway, isLasting, isRefusal, Refusal } from '../../domain/rules/refusal.ts'
import { asRefusal } from '../../domain/rules/system-error.ts'
import { listHosts, readUnpushed } from '../../operations/hosts/list.ts'
import { hostOf } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import { readRemainingWork } from '../../operations/sessions/results.ts'
import { renew, sweep } from '../../operations/supervision/sweep.ts'
import { MostAtOnce } from '../guard/trusted-configuration.ts'
import { hasNotes } from '../hosts/offline-notes.ts'
import { BoardTrouble, type CutOff, cutOffOf } from '../hosts/outage.ts'
import type { Job, Wishes } from '../job.ts'
import { sampleRuns } from '../processes/left-processes.ts'
import { closeRadar } from '../radar/radar.ts'
import { inspect, keepPaused } from '../runs/termination.ts'
import { type SessionFiles, sessionFilesOf } from '../session-files/session-files.ts'
import { freshWishesOf, wishesOf } from '../wishes.ts'
import type { World } from '../world.ts'
import { BEAT, nextBeat } from './changes.ts'
import { Dispatcher } from './dispatcher.ts'
import { beginTalks, jobsOf, wantedHere } from './jobs.ts'
import { hostRoleOf, leaderOf, type Role, type SupervisorOptions } from './roles.ts'
import { RunningJobs } from './running-jobs.ts'
import { type Sources, sourcesOf } from './sources.ts'

/** Duration of the supervisor lease, interval of the loops, …; all in ms. */
const pace = { ttl: 10_000, look: 1000, sweep: 5000, output: 2000, behind: 20, stood: 15_000 } as const

/**
 * Runs the loops of this host, and those that plan for the board, while this process holds their leases; it tries to take
 * them otherwise. A checkout that has not joined its board as a host only looks.
 */
export const startSupervisor = (world: World, options: SupervisorOptions): Supervisor =>
  world.core.host === null ? lookingOn(world) : new Loops(world, options)

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

/** Renews the leases of living agents. Separate from the jobs, because it depends on the clock. */
export const renewLiving = async (
  world: World,
  wishes: Wishes,
  firstSeenDead: Map<string, number>,
  now: number,
): Promise<void> => {
  keepPaused(wishes.runs)
  sampleRuns(wishes.runs)
  // An agent that is to be started, or whose fate is unknown, must not lose its task to the sweep.
  const agentIds = wishes.runs
    .filter(
      (run) =>
        run.process !== 'started' || !['ended', 'vanished'].includes(inspect(world.core, run, firstSeenDead, now)),
    )
    .map((run) => run.agentId)
  if (agentIds.length > 0) await perform(world.core, renew, { agentIds }, world.actor)
}

/**
 * Reads the new output of agents: tokens, cost, context use and progress of commands are shown while they work.
 * Separate from the jobs, because it depends on the clock.
 */
export const followJobs = (world: World, wishes: Wishes): readonly Job[] =>
  wishes.runs
    .filter((run) => run.process === 'started')
    .map((run) => ({ key: `output ${run.agentId}`, run: () => world.reports.follow(world, run) }))

/** `stood`: this process was stopped or without the board for a while, and perhaps all others too. */
const sweepSilent = (world: World, { stood = false, first = false } = {}) =>
  perform(
    world.core,
    sweep,
    {
      ...(stood ? { stood } : {}),
      ...(first ? { first } : {}),
      ...(typeof world.core.host === 'string' ? { program: world.version } : {}),
    },
    world.actor,
  )

export const remainingWork = (world: World) => perform(world.core, readRemainingWork, {}, world.actor)

export type RemainingWork = Awaited<ReturnType<typeof remainingWork>>

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

/** How long nothing must have moved on the hosts until they count as idle (ms). */
const STILL = 5000

/** Waits until nothing moves any more on the board, or the loops are stopped. Nothing is known of a board that is away. */
const untilIdle = async (world: World, look: () => Moment): Promise<RemainingWork> => {
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

/** How often the board is asked while nothing of it changes (ms). */
const ASK = 1000

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
const untilStill = async (
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

const heldBy = (pid: number): Refusal =>
  new Refusal(
    'invalid_state',
    `Another process (${pid}) runs the agents of this host. End it first, or let it do the work.`,
  )

const isHeard = (state: HostState): boolean => state === 'up' || state === 'draining'

/** Reports an error, because a file that cannot be written must not prevent the end. */
const closing = async (world: World, files: SessionFiles): Promise<void> => {
  try {
    await files.close()
  } catch (error) {
    world.report(asRefusal(error)?.message ?? `session files: ${error instanceof Error ? error.stack : String(error)}`)
  }
}
