import { join } from 'node:path'
import { areSame, CONFIGURATION, isOwn, ownOf } from '../../../domain/integration/trusted-configuration.ts'
import { defaultSettings } from '../../../domain/settings/settings.ts'
import { perform } from '../../../operations/perform/perform.ts'
import { readGuard } from '../../../operations/integration/configuration.ts'
import { loadedOf, type LoadedSettings, parseSettings } from '../config.ts'
import { judgeOwn, type Judge } from '../../guard/own-changes.ts'
import { meaningOf } from '../own.ts'
import { configPath } from '../../files/paths.ts'
import { readRegular } from '../../files/regular-file.ts'

export interface AtStart {
  readonly loaded: LoadedSettings
  /** The persona files, each as path and text. */
  readonly personas: readonly (readonly [path: string, source: string])[]
  /** True if an agent may have changed the files, so that none of them applies. */
  readonly held: boolean
}

/**
 * The configuration of a process in another checkout than the board's main one: the trusted one of the board. Files of
 * this checkout say nothing.
 */
export const configurationOfBoard = async ({ core, actor }: Judge): Promise<AtStart> => {
  const trusted = (await perform(core, readGuard, {}, actor))?.entries[CONFIGURATION]
  const loaded = (trusted === undefined ? undefined : loadedOf(trusted)) ?? {
    settings: defaultSettings,
    namesTarget: false,
  }
  return { loaded: { ...loaded, warnings: [] }, personas: [], held: false }
}

/**
 * The configuration of a process that starts now: the files as they are, or, if an agent may have changed them, the
 * configuration that was last trusted. Every file is judged by the very text that is then used, even if it changes in
 * between. Refuses a configuration that a person has broken.
 */
export const configurationAtStart = async (world: Judge): Promise<AtStart> => {
  const { root } = world.core
  const path = configPath(root)
  const { guard, found } = await judgeOwn(world)
  const personas = Object.entries(found).flatMap(([name, text]) =>
    isOwn(name) && name !== CONFIGURATION ? [[join(root, name), text] as const] : [],
  )
  const trusted = guard?.entries[CONFIGURATION]
  if (guard !== null && trusted !== undefined && !areSame(found, ownOf(guard.entries)))
    // If the trusted configuration was already broken, nothing of it can apply.
    return {
      loaded: { ...(loadedOf(trusted) ?? { settings: defaultSettings, namesTarget: false }), warnings: [] },
      personas,
      held: true,
    }
  // The text with its comments, because messages name its lines.
  const text = readRegular(path) ?? ''
  return {
    loaded: parseSettings(meaningOf(text) === found[CONFIGURATION] ? text : found[CONFIGURATION]!, path),
    personas,
    held: false,
  }
}
