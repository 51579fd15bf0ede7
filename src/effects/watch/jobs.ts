import { perform } from '../../operations/perform/perform.ts'
import { readWatched } from '../../operations/integration/drift.ts'
import type { Job } from '../job.ts'
import type { World } from '../world.ts'
import { lookAgain } from './checkout.ts'
import { noticeTargets, targetsPrint } from './targets.ts'

/** How often a checkout with changes that wait for a person is checked again (ms). */
const AGAIN = 5000

/**
 * The watch as a source of the supervisor's jobs. A target is checked when a file of its ref has changed, which needs
 * no process. The first check comes before any agent starts.
 */
export const watchJobsOf = (world: World) => {
  const { core, actor } = world
  let known: { readonly version: number; readonly targets: readonly string[]; readonly changed: boolean } | undefined
  let print = ''
  let due = 0
  return async (now: number): Promise<readonly Job[]> => {
    const version = core.store.version()
    if (known?.version !== version) {
      const { targets, checkout } = await perform(core, readWatched, {}, actor)
      known = { version, targets: targets.map(({ target }) => target), changed: checkout !== null }
    }
    const seen = [...known.targets, targetsPrint(core.root, known.targets)].join('\n')
    const jobs: Job[] = []
    if (seen !== print)
      jobs.push({
        key: 'targets',
        run: async () => {
          if (await noticeTargets(world)) print = seen
        },
      })
    if (known.changed && now >= due) {
      due = now + AGAIN
      jobs.push({ key: 'checkout', run: () => lookAgain(world) })
    }
    return jobs
  }
}
