import { CONFIGURATION } from '../domain/own-configuration.ts'
import type { Settings } from '../domain/settings.ts'
import { perform } from '../operations/kernel/perform.ts'
import { readGuard } from '../operations/read-guard.ts'
import { settingsOf } from './config.ts'
import { lookAtOwn } from './integration/guard.ts'
import { look } from './look.ts'
import { stampOfOwn } from './own-configuration.ts'
import type { World } from './world.ts'

/**
 * The configuration that is trusted at this moment: as a person has just written it while no agent runs, and else as it
 * was last accepted. Costs a look at the files' dates while nothing has changed.
 */
export const liveConfiguration = (world: World): (() => Promise<Settings>) => {
  const { core, actor } = world
  let settings = core.settings
  let [seen, known, text]: (string | null | undefined)[] = []
  return async () => {
    const stamp = stampOfOwn(core.root)
    if (stamp !== seen && (await lookAtOwn(world))) seen = stamp
    const { trusted } = await look(world)
    if (trusted === known) return settings
    known = trusted
    const now = (await perform(core, readGuard, {}, actor))?.entries[CONFIGURATION]
    if (now !== undefined && now !== text) settings = settingsOf(now) ?? settings
    text = now
    return settings
  }
}
