import { resolve } from 'node:path'
import { openStore } from '../../src/db/sqlite/open.ts'
import { person } from '../../src/domain/agent/actor.ts'
import { openWorld } from '../../src/effects/opening/open-core.ts'
import { outsideOf } from '../../src/effects/opening/outside.ts'
import type { World } from '../../src/effects/world.ts'
import type { Connection } from '../../src/operations/perform/core.ts'

/** aiswarm on a repository, like a person's command: nothing runs by itself. */
export const openAlone = async (root: string): Promise<{ readonly world: World; readonly connection: Connection }> => {
  const world = await openWorld(root, {
    openStore: (path) => openStore(path, { migrations: resolve(import.meta.dirname, '../../migrations') }),
    self: [process.execPath],
    warn: () => {},
  })
  return { world, connection: { core: world.core, actor: person, outside: outsideOf(world) } }
}
