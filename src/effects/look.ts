import { perform } from '../operations/kernel/perform.ts'
import { readWishes } from '../operations/read-wishes.ts'
import type { Core } from '../operations/kernel/core.ts'
import type { World } from './world.ts'

type Wishes = Awaited<ReturnType<(typeof readWishes)['run']>>

/** What was read last, and in which state of the database. */
const known = new WeakMap<Core['store'], { readonly version: number; readonly wishes: Wishes }>()

/** What the rows say that remains to be done outside: read again when something was committed, or has become due. */
export const look = async ({ core, actor }: Pick<World, 'core' | 'actor'>): Promise<Wishes> => {
  const version = core.store.version()
  const before = known.get(core.store)
  if (before?.version === version && (before.wishes.nextDue === null || before.wishes.nextDue > core.clock())) return before.wishes
  const wishes = await perform(core, readWishes, {}, actor)
  known.set(core.store, { version, wishes })
  return wishes
}
