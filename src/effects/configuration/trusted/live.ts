import { CONFIGURATION } from '../../../domain/integration/trusted-configuration.ts'
import type { Settings } from '../../../domain/settings/settings.ts'
import { perform } from '../../../operations/perform/perform.ts'
import { readGuard } from '../../../operations/integration/configuration.ts'
import { settingsOf } from '../config.ts'
import { lookAtOwn } from '../../guard/guard.ts'
import { wishesOf } from '../../wishes.ts'
import { stampOfOwn } from '../own.ts'
import type { World } from '../../world.ts'

/**
 * The configuration that is trusted at this moment: the file as it is while no agent runs, otherwise the version that
 * was last accepted. While nothing has changed, it only checks the files' dates.
 */
export const liveConfiguration = (world: World): (() => Promise<Settings>) => {
  const { core, actor } = world
  let settings = core.settings
  let [seen, known, text]: (string | null | undefined)[] = []
  return async () => {
    const stamp = stampOfOwn(core.root)
    if (stamp !== seen && (await lookAtOwn(world))) seen = stamp
    const { trusted } = await wishesOf(world)
    if (trusted === known) return settings
    known = trusted
    const now = (await perform(core, readGuard, {}, actor))?.entries[CONFIGURATION]
    if (now !== undefined && now !== text) settings = settingsOf(now) ?? settings
    text = now
    return settings
  }
}
