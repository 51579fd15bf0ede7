import type { readWishes } from '../../operations/supervision/wishes.ts'
import { remoteJobsOf } from '../remote/availability.ts'
import type { World } from '../world.ts'
import { followJobsOf } from './follow-targets.ts'
import { pushJobsOf } from './push-work.ts'
import { snapshotJobsOf } from './snapshot-work.ts'

/** The exchange of code through the remote as a source of jobs of a host; without a remote there are none. */
export const exchangeJobsOf = (world: World) => {
  const [push, follow, snapshot] = [pushJobsOf(world), followJobsOf(world), snapshotJobsOf(world)]
  const standing = remoteJobsOf(world)
  return async (wishes: Awaited<ReturnType<(typeof readWishes)['run']>>, now: number) =>
    wishes.remote === null
      ? []
      : [
          ...standing(wishes.remote.url, now),
          ...(await push(wishes, now)),
          ...follow(wishes, now),
          ...snapshot(wishes, now),
        ]
}
