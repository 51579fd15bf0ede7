import { commonText } from './common.ts'

const unmarked = (label: string): string => label.replace(/ \*$/, '')

/** The palette: commands found by a few letters and filled in as forms. */
export const paletteText = {
  title: 'Commands',
  noCommand: 'no match',
  noneToRun: 'No command matches.',
  worksOnPanes: 'This key works only on the panes. Press esc to go back.',
  /** For screen readers. */
  spoken: {
    typed: (words: string) => `typed: ${words}`,
    offer: (help: string, keys: string, chosen: boolean, blocked: string | null) =>
      `${chosen ? 'Selected: ' : ''}${help}${keys === '…' || keys === '↑' ? '' : `, key ${keys}`}${blocked === null ? '' : `, not now: ${blocked}`}`,
    field: (label: string, value: string, now: boolean, hint: string) =>
      `${now ? 'Current field: ' : ''}${label}: ${value === '' ? 'empty' : value}${hint === '' ? '' : ` (${hint})`}`,
    hint: (hint: string) => hint.replace(/ {2,}/g, ', '),
  },
  number: (description: string) => `${description} (a number)`,
  formed: (description: string, form: string) => `${description} (${form})`,
  several: (description: string) => `${description} (several: quote values with spaces)`,
  field: commonText.partOf,
  line: (line: string) => `command line: ${line}`,
  /** The label of a required field ends with a star. */
  wrong: (field: string, why: string, others: readonly string[]) =>
    `${unmarked(field)}: ${why}${others.length === 0 ? '' : ` Also invalid: ${others.map(unmarked).join(', ')}.`}`,
  isDone: (command: string) => `${command}: done.`,
  answered: (command: string, answer: string) => `${command}: ${answer}`,
  nothingToCopy: 'Open the form of a command to copy its command line.',
  copied: (line: string) => `Sent to the terminal's clipboard: ${line}`,
  runs: (line: string) => `Runs: ${line}`,
  noRequest: (id: string) => `Request ${id} does not exist or is already answered.`,
  noWorktree: (name: string) => `There is no worktree ${name}.`,
} as const

/** Below a form. */
export const formHints = {
  several: '{submit} submit   esc cancel   {next-field} next field   {previous-option} {next-option} change option',
  one: '{submit} submit   esc cancel',
  command:
    '{submit} submit   esc cancel   {copy-line} copy line   {next-field} next field   {previous-option} {next-option} change option',
  running: 'running…',
} as const

/** In place of an item that no longer exists. */
export const goneText = { title: 'Gone', says: 'This item no longer exists. Press esc to go back.' } as const

export const helpText = {
  title: 'Keys',
  titleWith: (words: string) => `Keys with ‘${words}’`,
  named: (help: string, id: string) => `${help} · ${id}`,
  noKey: 'No key matches.',
} as const
