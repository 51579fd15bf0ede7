import { commonText } from './common.ts'

const unmarked = (label: string): string => label.replace(/ \*$/, '')

/** Commands, found by their letters and filled in as forms. */
export const paletteText = {
  title: 'Commands',
  noCommand: 'no command has these letters',
  noneToRun: 'No command has these letters.',
  worksOnPanes: 'That works on the panes; esc goes back to them.',
  /** As a screen reader says what is drawn with marks and columns. */
  spoken: {
    typed: (words: string) => `typed: ${words}`,
    offer: (help: string, keys: string, chosen: boolean, blocked: string | null) =>
      `${chosen ? 'Chosen: ' : ''}${help}${keys === '…' || keys === '↑' ? '' : `, key ${keys}`}${blocked === null ? '' : `, but: ${blocked}`}`,
    field: (label: string, value: string, now: boolean, hint: string) => `${now ? 'Now ' : ''}${label}: ${value === '' ? 'empty' : value}${hint === '' ? '' : ` (${hint})`}`,
    hint: (hint: string) => hint.replace(/ {2,}/g, ', '),
  },
  number: (description: string) => `${description} (a number)`,
  formed: (description: string, form: string) => `${description} (${form})`,
  several: (description: string) => `${description} (several: quote what has spaces)`,
  field: commonText.partOf,
  line: (line: string) => `command line: ${line}`,
  /** Labels of fields that are needed end in a star. */
  wrong: (field: string, why: string, others: readonly string[]) => `${unmarked(field)}: ${why}${others.length === 0 ? '' : ` Wrong as well: ${others.map(unmarked).join(', ')}.`}`,
  isDone: (command: string) => `${command}: done.`,
  answered: (command: string, answer: string) => `${command} is done: ${answer}`,
  nothingToCopy: 'Only the form of a command has a command line.',
  copied: (line: string) => `The terminal was given the line for its clipboard: ${line}`,
  runs: (line: string) => `Runs: ${line}`,
  noRequest: (id: string) => `No request ${id} waits for an answer.`,
  noWorktree: (name: string) => `There is no worktree ${name}.`,
} as const

/** Below a form. */
export const formHints = {
  several: '{submit} goes on   esc leaves   {next-field} next field   {previous-option} {next-option} change a choice',
  one: '{submit} goes on   esc leaves',
  command: '{submit} goes on   esc leaves   {copy-line} copies the line   {next-field} next field   {previous-option} {next-option} change a choice',
  running: 'it is being done…',
} as const

/** In place of what was open and is there no more. */
export const goneText = { title: 'Gone', says: 'It is no longer there; esc goes back.' } as const

export const helpText = {
  title: 'Keys',
  titleWith: (words: string) => `Keys with ‘${words}’`,
  named: (help: string, id: string) => `${help} · ${id}`,
  noKey: 'No key has all these words.',
} as const
