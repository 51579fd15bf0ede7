import { countOf } from '../domain/words/counts.ts'

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
