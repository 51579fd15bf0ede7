import { LOCAL, silentSince } from '../../domain/host/host.ts'
import type { FleetSettings } from '../../domain/settings/settings.ts'
import type { Instant } from '../../domain/words/time.ts'
import { loseSilentHost } from '../../operations/failover/lost-hosts.ts'
import { continueStranded, readStranded } from '../../operations/failover/stranded.ts'
import { type HostView, listHosts } from '../../operations/hosts/list.ts'
import { perform } from '../../operations/perform/perform.ts'
import { readUntaken, withdrawRun } from '../../operations/supervision/sweep.ts'
import type { Job } from '../job.ts'
import type { World } from '../world.ts'

// The process that plans declares silent hosts lost, and withdraws runs that their hosts do not take.

/** How often the process that plans looks at the hosts (ms), unless hosts are silent sooner. */
const LOOK_AT_HOSTS = 2000

/** The same while the board has no other host (ms); one that joins is not silent for as long. */
const ALONE = 10_000

/** The loss of silent hosts as a source of jobs of the process that plans; on a board with one host there are none. */
export const lostHostJobsOf = (world: World): ((now: number) => readonly Job[]) => {
  const judge = new HostJudge(world.core.settings.fleet)
  const pause = Math.min(LOOK_AT_HOSTS, world.core.settings.fleet.silentAfter / 5)
  let due = 0
  return (now) => {
    if (world.core.host === undefined || now < due) return []
    due = now + pause
    const run = async (): Promise<void> => {
      if (!(await loseSilent({ ...world }, judge))) due = now + ALONE
    }
    return [{ key: 'silent hosts', run }]
  }
}

/** False if there is no other host. */
const loseSilent = async ({ core, actor, report }: World, judge: HostJudge): Promise<boolean> => {
  const hosts = await perform(core, listHosts, {}, actor)
  if (hosts.length < 2) return false
  for (const { id, beatAt } of judge.lost(hosts, core.store.now?.() ?? core.clock(), performance.now())) {
    if (id === LOCAL || beatAt === null) continue
    const { lost, name, ended } = await perform(core, loseSilentHost, { hostId: id, beatAt }, actor)
    if (lost) report(`Host ${name} was silent for too long and is lost; agents that ended: ${ended.length}.`)
  }
  // A write wakes every process, so it is asked first whether there is something to do.
  if ((await perform(core, readStranded, {}, actor)).stranded) await perform(core, continueStranded, {}, actor)
  return true
}

type Seen = Pick<HostView, 'id' | 'state' | 'beatAt'>

/**
 * Decides which hosts the process that plans may declare lost. The clock of the server may jump, and this process may have
 * been away itself: a host counts only as silent while this process has looked, by its own clock, and has seen the same
 * heartbeat throughout.
 */
export class HostJudge {
  readonly #settings: Pick<FleetSettings, 'silentAfter' | 'lostAfter'>
  /** The last heartbeat of each host, and since when this process has seen it (ms of the monotonic clock). */
  readonly #seen = new Map<string, { readonly beatAt: Instant | null; readonly since: number }>()
  #looked = -Infinity

  constructor(settings: Pick<FleetSettings, 'silentAfter' | 'lostAfter'>) {
    this.#settings = settings
  }

  /** The hosts to be declared lost, at `at` of the board's clock and `now` of this process. */
  lost<Host extends Seen>(hosts: readonly Host[], at: Instant, now: number): readonly Host[] {
    const { silentAfter, lostAfter } = this.#settings
    // After an absence of its own it has seen nothing: every host gets the time to be heard again.
    if (now - this.#looked > silentAfter) this.#seen.clear()
    this.#looked = now
    return hosts.filter((host) => {
      const { id, beatAt } = host
      const seen = this.#seen.get(id)
      if (seen?.beatAt !== beatAt) this.#seen.set(id, { beatAt, since: now })
      return (
        seen?.beatAt === beatAt && now - seen.since >= silentAfter && silentSince(host, at, lostAfter) !== undefined
      )
    })
  }
}

/** How often the process that plans looks for runs that were not taken (ms), unless hosts are silent sooner. */
const LOOK_AT_RUNS = 5000

/**
 * Runs that their hosts have not taken, as a source of jobs of the process that plans: after the time in which a host is
 * silent they end. Reckoned by its own clock, since the worktree of a run may take any time to be built.
 */
export const untakenJobsOf = (world: World): ((now: number) => readonly Job[]) => {
  const { silentAfter } = world.core.settings.fleet
  const pause = Math.min(LOOK_AT_RUNS, silentAfter / 5)
  /** Since when each run was seen at every look (ms of the monotonic clock). */
  let seen = new Map<string, number>()
  let looked = -Infinity
  let due = 0
  const withdraw = async ({ core, actor, report }: World, now: number): Promise<void> => {
    // After an absence of its own it has seen nothing.
    const before = now - looked > silentAfter ? new Map<string, number>() : seen
    looked = now
    seen = new Map()
    for (const { agentId, run } of await perform(core, readUntaken, {}, actor)) {
      const key = `${agentId}.${run}`
      const since = before.get(key) ?? now
      seen.set(key, since)
      if (now - since < silentAfter) continue
      const { withdrawn, error } = await perform(core, withdrawRun, { agentId, run }, actor)
      if (withdrawn) report(`${agentId} could not be started: ${error}`)
    }
  }
  return (now) => {
    if (world.core.host === undefined || now < due) return []
    due = now + pause
    return [{ key: 'untaken runs', run: () => withdraw({ ...world }, now) }]
  }
}
