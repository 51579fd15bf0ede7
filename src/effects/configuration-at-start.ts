import { join } from 'node:path'
import { areSame, CONFIGURATION, isOwn, ownOf } from '../domain/own-configuration.ts'
import { defaultSettings } from '../domain/settings.ts'
import { loadedOf, type LoadedSettings, parseSettings } from './config.ts'
import { judgeOwn, type Judge } from './integration/own-changes.ts'
import { meaningOf } from './own-configuration.ts'
import { configPath } from './places.ts'
import { readRegular } from './regular-file.ts'

export interface AtStart {
  readonly loaded: LoadedSettings
  /** The files of personas, path and text each. */
  readonly personas: readonly (readonly [path: string, source: string])[]
  /** An agent may have changed the files, so none of them counts. */
  readonly held: boolean
}

/**
 * What a process goes by that begins now: the files as they are, or where an agent may have changed them, the configuration
 * as it was trusted last. Every file is judged by the text that is then obeyed, whatever happens to it in between. Refuses a
 * configuration that a person has broken.
 */
export const configurationAtStart = async (world: Judge): Promise<AtStart> => {
  const { root } = world.core
  const path = configPath(root)
  const { guard, found } = await judgeOwn(world)
  const personas = Object.entries(found).flatMap(([name, text]) => (isOwn(name) && name !== CONFIGURATION ? [[join(root, name), text] as const] : []))
  const trusted = guard?.entries[CONFIGURATION]
  if (guard !== null && trusted !== undefined && !areSame(found, ownOf(guard.entries)))
    // Of one that was broken before, nothing can count.
    return { loaded: { ...(loadedOf(trusted) ?? { settings: defaultSettings, namesTarget: false }), warnings: [] }, personas, held: true }
  // With its comments: they count in what is said of its lines.
  const text = readRegular(path) ?? ''
  return { loaded: parseSettings(meaningOf(text) === found[CONFIGURATION] ? text : found[CONFIGURATION]!, path), personas, held: false }
}
