import { modeText } from '../../../text/keys.ts'
import type { ListView } from '../../core/registry.ts'
import { sheetHeight } from '../../panes/movement.ts'
import * as settingsKeys from './settings.ts'
import { type SettingsOverlay, startSettingsFeed } from './settings.ts'
import { moveInSettings, selectSetting, settingsWindow } from './lines.ts'

/** Every setting: its value, where it comes from and what it means. */
// prettier-ignore
export const settings: ListView<SettingsOverlay> = {
  kind: 'settings',
  title: modeText.settings,
  manner: 'reading',
  opens: [{ id: 'settings', keys: [','], shown: ',', press: settingsKeys.openSettings }],
  keys: [
    { id: 'edit-setting', keys: ['enter'], shown: 'enter', footer: true, press: settingsKeys.editSetting },
    { id: 'switch-setting', keys: [' ', 'right', 'l'], shown: 'space', footer: true, blocked: settingsKeys.whyNoOption, press: settingsKeys.nextOption(1) },
    { id: 'switch-back', keys: ['left', 'h'], shown: '←', blocked: settingsKeys.whyNoOption, press: settingsKeys.nextOption(-1) },
    { id: 'save-settings', keys: ['s'], shown: 's', footer: true, blocked: settingsKeys.whyNotSave, press: settingsKeys.saveSettings },
    { id: 'default-setting', keys: ['d'], shown: 'd', footer: true, press: settingsKeys.toDefault },
    { id: 'undo-setting', keys: ['u'], shown: 'u', footer: true, blocked: settingsKeys.whyNotChanged, press: settingsKeys.undoChange },
    { id: 'reread-settings', keys: ['r'], shown: 'r', press: settingsKeys.rereadSettings },
    { id: 'settings-file', keys: ['e'], shown: 'e', footer: true, press: settingsKeys.openFile },
  ],
  without: ['theme'],
  back: settingsKeys.leaveSettings,
  untried: ({ before: { theme } }) => ({ theme }),
  empty: {},
  feed: startSettingsFeed,
  window: settingsWindow,
  scroll: (state, overlay, lines) => moveInSettings(state, overlay, lines, sheetHeight(state)),
  click: (state, overlay, line) => selectSetting(state, overlay, line, sheetHeight(state)),
}
