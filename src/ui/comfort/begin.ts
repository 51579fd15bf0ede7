import { Refusal } from '../../domain/refusal.ts'
import type { Settings } from '../../domain/settings.ts'
import type { ConsoleOptions } from '../console-options.ts'
import { keyRows } from '../keys.ts'
import { bind } from './bindings.ts'
import { readKept } from './kept.ts'
import { type Comfort, plainComfort } from './state.ts'
import { bindingText } from '../../text/comfort.ts'

/** What a console begins with: its configuration, what was kept by the one before, and the environment. Refuses keys that cannot be had. */
export const beginComfort = ({ connection, memory, placeOf }: ConsoleOptions, environment: NodeJS.ProcessEnv): Comfort => {
  const { console: settings, agents } = connection.core.settings
  const bound = bind(keyRows, settings.keys)
  if ('problem' in bound) throw new Refusal('config_invalid', `${placeOf?.(['console', 'keys', bound.id]) ?? 'The configuration'}: ${bindingText.refused(bound.id, bound.problem)}`)
  const kept = readKept(memory?.read() ?? {})
  return {
    ...plainComfort,
    bindings: bound.bindings,
    // What the configuration names comes before what was chosen by a key.
    theme: { wish: settings.theme === 'auto' ? (kept.theme ?? 'auto') : settings.theme, background: undefined, colourless: Boolean(environment['NO_COLOR']) },
    arrangement: kept.arrangement,
    guided: kept.guided,
    strict: settings.strict,
    spoken: isSpoken(environment),
    agentless: isAgentless(agents),
  }
}

const isAgentless = ({ default: kind, personas, names }: Settings['agents']): boolean =>
  kind === null && Object.keys(names).length === 0 && Object.values(personas).every((persona) => persona.kind === undefined)

/** Ink itself listens to `true` alone. */
const isSpoken = ({ INK_SCREEN_READER: wish }: NodeJS.ProcessEnv): boolean => wish === '1' || wish === 'true'
