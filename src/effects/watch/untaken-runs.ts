import { perform } from '../../operations/perform/perform.ts'
import { readUntaken, withdrawRun } from '../../operations/supervision/sweep.ts'
import type { Job } from '../job.ts'
import type { World } from '../world.ts'

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
