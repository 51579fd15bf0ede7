import { CONFIGURATION } from '../domain/own-configuration.ts'
import { withRule, writeRule } from './allow-rules.ts'
import { changingOwn } from './integration/own-changes.ts'
import { meaningOf } from './own-configuration.ts'
import { configPath } from './places.ts'
import type { World } from './world.ts'

/** Writes a rule that a person wants remembered, and trusts it: nothing else that somebody has changed in the file meanwhile. */
export const rememberRule = async (world: World, personaId: string, rule: string): Promise<void> => {
  const path = configPath(world.core.root)
  await changingOwn(
    world,
    async () => writeRule(path, personaId, rule),
    ({ before, after }, trusted) => ({
      ...trusted,
      [CONFIGURATION]: meaningOf(before) === trusted[CONFIGURATION] ? after : withRule(trusted[CONFIGURATION] ?? '', path, personaId, rule),
    }),
  )
}
