import { CONFIGURATION } from '../../../domain/integration/trusted-configuration.ts'
import { withRule, writeRule } from '../allow-rules.ts'
import { changingOwn } from '../../guard/own-changes.ts'
import { meaningOf } from '../own.ts'
import { configPath } from '../../files/paths.ts'
import type { World } from '../../world.ts'

/**
 * Writes a rule that a person wants to keep and trusts that change only, not other edits that the file has received
 * meanwhile.
 */
export const rememberRule = async (world: World, personaId: string, rule: string): Promise<void> => {
  const path = configPath(world.core.root)
  await changingOwn(
    world,
    async () => writeRule(path, personaId, rule),
    ({ before, after }, trusted) => ({
      ...trusted,
      [CONFIGURATION]:
        meaningOf(before) === trusted[CONFIGURATION]
          ? after
          : withRule(trusted[CONFIGURATION] ?? '', path, personaId, rule),
    }),
  )
}
