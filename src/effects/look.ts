import { perform } from '../operations/kernel/perform.ts'
import { readWishes } from '../operations/read-wishes.ts'
import type { World } from './world.ts'

/** What the rows say that remains to be done outside. */
export const look = (world: World) => perform(world.core, readWishes, {}, world.actor)
