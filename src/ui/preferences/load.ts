import { Refusal } from '../../domain/rules/refusal.ts'
import type { Settings } from '../../domain/settings/settings.ts'
import type { ConsoleOptions } from '../core/controller.ts'
import type { ConsoleTable } from '../core/registry.ts'
import { bind } from '../keys/bindings.ts'
import { readKept } from './stored.ts'
import { plainPreferences, type Preferences } from '../core/state.ts'
import { bindingText } from '../../text/keys.ts'

/** The initial preferences from the configuration, the saved state and the environment. Refuses invalid key bindings. */
export const beginPreferences = (
  { connection, memory, placeOf }: ConsoleOptions,
  environment: NodeJS.ProcessEnv,
  table: ConsoleTable,
): Preferences => {
  const { console: settings, agents } = connection.core.settings
  const bound = bind(table, settings.keys)
  if ('problem' in bound)
    throw new Refusal(
      'config_invalid',
      `${placeOf?.(['console', 'keys', bound.id]) ?? 'The configuration'}: ${bindingText.refused(bound.id, bound.problem)}`,
    )
  const kept = readKept(memory?.read() ?? {})
  return {
    ...plainPreferences,
    bindings: bound.bindings,
    // The configured theme takes precedence over the one chosen by a key.
    theme: {
      wish: settings.theme === 'auto' ? (kept.theme ?? 'auto') : settings.theme,
      background: undefined,
      colourless: Boolean(environment['NO_COLOR']),
    },
    arrangement: kept.arrangement,
    guided: kept.guided,
    strict: settings.strict,
    spoken: isSpoken(environment),
    agentless: isAgentless(agents),
  }
}

const isAgentless = ({ default: kind, personas, names }: Settings['agents']): boolean =>
  kind === null &&
  Object.keys(names).length === 0 &&
  Object.values(personas).every((persona) => persona.kind === undefined)

/** Ink itself accepts only `true`. */
const isSpoken = ({ INK_SCREEN_READER: wish }: NodeJS.ProcessEnv): boolean => wish === '1' || wish === 'true'
