import { LOCAL } from '../../domain/host/host.ts'
import { perform } from '../../operations/perform/perform.ts'
import { continueStranded, readStranded } from '../../operations/failover/stranded.ts'
import { listHosts } from '../../operations/hosts/list.ts'
import { loseSilentHost } from '../../operations/failover/lost-hosts.ts'
import type { Job } from '../job.ts'
import type { World } from '../world.ts'
import { HostJudge } from './host-judge.ts'

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
