import { countOf } from '../domain/words/counts.ts'

// The configuration, and the settings that a person changes by keys: theme and strict mode.

/** The view of the configuration. */
export const settingsText = {
  title: (path: string, changes: number) =>
    changes === 0 ? `Configuration  ${path}` : `Configuration  ${path}  ${countOf(changes, 'unsaved change')}`,
  sources: { default: 'default', found: 'found here', branch: (branch: string) => `committed on ${branch}` },
  line: (line: number) => `file, line ${line}`,
  unsaved: (before: string) => `unsaved, was ${before}`,
  thisConsole: 'chosen in this console',
  environment: 'NO_COLOR',
  inFile: (value: string, branch: string) =>
    `The file has ${value === '' ? 'nothing' : value}; it counts when it is committed on ${branch}.`,
  empty: '–',
  takes: (value: string, standard: string) => `${value}; default: ${standard}`,
  tried: 'It is tried now, and undone if you do not save it.',
  form: (key: string) => `Set ${key}`,
  value: 'Value',
  asYaml: (value: string) => `${value}; as in the file`,
  changed: (key: string, value: string) => `${key}: ${value === '' ? 'empty' : value}. {save-settings} saves.`,
  isDefault: (key: string) => `${key} has its default already.`,
  noChange: 'Nothing is changed. Press {edit-setting} on a setting.',
  noOption: 'It has no options to switch. Press {edit-setting} to type a value.',
  notChanged: 'This setting has no unsaved change.',
  saves: (path: string) => `Saves ${path}:`,
  saved: 'Saved. Theme, keys and strict mode apply now, the rest at the next start.',
  committed: (branch: string) => `Commit it on ${branch}, where verification and approval count.`,
  drops: (changes: number) => `Drops ${countOf(changes, 'unsaved change')}:`,
  change: (key: string, from: string, to: string) => `${key}: ${from === '' ? '–' : from} → ${to === '' ? '–' : to}`,
  reread: 'The file is read again; your changes are kept.',
} as const

// Themes, strict mode and saved preferences.

export const themeText = {
  noColours: 'NO_COLOR is set in the environment, so the theme cannot be changed.',
  chosen: (theme: string, background: string) => `Theme: ${theme}${background}.`,
  now: (theme: string) => `, ${theme} now`,
  notTold: ', which does not report it',
  names: {
    auto: 'as the terminal background',
    dark: 'dark',
    light: 'light',
    contrast: 'high contrast',
    mono: 'no colours',
  },
} as const

export const strictText = {
  needsLeader: (leader: string, key: string, does: string) => `Strict mode: press ${leader}, then ${key}, to ${does}.`,
  saysYes: 'confirm',
  does: (label: string) => `run '${label}'`,
  isOff: 'Strict mode is off. Set console.strict in the configuration to turn it on.',
  nextActs: 'The next key is enabled.',
} as const

export const notRemembered = (why: string): string => `The setting cannot be saved for the next console: ${why}`
