import { perform } from '../operations/perform/perform.ts'
import { readWishes } from '../operations/supervision/wishes.ts'
import type { Core } from '../operations/perform/core.ts'
import type { World } from './world.ts'

type Wishes = Awaited<ReturnType<(typeof readWishes)['run']>>

/** The last result, with the version of the database. */
const known = new WeakMap<Core['store'], { readonly version: number; readonly wishes: Wishes }>()

/** As `wishesOf`, whatever was read before: a server tells of a commit a little later. */
export const freshWishesOf = (world: Pick<World, 'core' | 'actor'>): Promise<Wishes> => {
  known.delete(world.core.store)
  return wishesOf(world)
}

/** The outside work that the rows ask for: read again after a commit, or when something has become due. */
export const wishesOf = async ({ core, actor }: Pick<World, 'core' | 'actor'>): Promise<Wishes> => {
  const version = core.store.version()
  const before = known.get(core.store)
  if (before?.version === version && (before.wishes.nextDue === null || before.wishes.nextDue > core.clock()))
    return before.wishes
  const wishes = await perform(core, readWishes, {}, actor)
  known.set(core.store, { version, wishes })
  return wishes
}
