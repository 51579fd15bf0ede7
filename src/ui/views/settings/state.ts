import type { ConfigurationNow, SettingChange, SettingNow } from '../../../contracts/configuration.ts'
import { type CataloguedSetting, catalogue } from '../../../domain/settings/catalogue.ts'
import type { ConsoleState, Overlay, Preferences } from '../../core/state.ts'

export interface SettingsOverlay {
  readonly kind: 'settings'
  /** The file as it was read. */
  readonly now: ConfigurationNow
  /** Values that are not saved, by key; null removes the key. */
  readonly changes: Readonly<Record<string, string | null>>
  /** The preferences before a value was tried. */
  readonly before: Pick<Preferences, 'theme' | 'bindings' | 'strict'>
  readonly at: number
  readonly top: number
}

/** A setting of the file with its type, its meaning and its unsaved value. */
export interface SettingRow extends CataloguedSetting {
  readonly now: SettingNow
  /** Undefined without a change. */
  readonly change: string | null | undefined
  /** The value with the change. */
  readonly shown: string
}

export const rowsOf = ({ now, changes }: SettingsOverlay): readonly SettingRow[] => {
  const known = new Map(now.settings.map((setting) => [setting.key, setting]))
  return catalogue.flatMap((setting): readonly SettingRow[] => {
    const own = known.get(setting.key)
    if (!own) return []
    const change = changes[setting.key]
    const shown = change === undefined ? (own.inFile ?? own.value) : (change ?? bare(setting.standard))
    return [{ ...setting, now: own, change, shown }]
  })
}

/** The view of the settings, also below the form or the question of one of them. */
export const settingsIn = (overlay: Overlay | null | undefined): SettingsOverlay | undefined =>
  !overlay ? undefined : overlay.kind === 'settings' ? overlay : settingsIn(overlay.behind)

export const overlayIn = ({ view: { overlay } }: ConsoleState): SettingsOverlay | undefined =>
  overlay?.kind === 'settings' ? overlay : undefined

export const rowAt = (state: ConsoleState): SettingRow | undefined => {
  const overlay = overlayIn(state)
  return overlay && rowsOf(overlay)[overlay.at]
}

export const changesOf = ({ changes }: SettingsOverlay): readonly SettingChange[] =>
  Object.entries(changes).map(([key, value]) => ({ key, value }))

/** The options of a setting; undefined if it is typed. */
export const optionsOf = ({ value }: Pick<CataloguedSetting, 'value'>): readonly string[] | undefined =>
  /^[a-z]+(?:, [a-z]+)+$/.test(value) ? value.split(', ') : undefined

/** The words of a default: a quoted text without its quotes. */
export const bare = (standard: string): string => standard.replace(/^"(.*)"$/, '$1')
