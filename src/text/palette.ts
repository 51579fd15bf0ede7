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

/** Words that people type for a key, with those that its help uses. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  add: ['create'],
  attention: ['needs you'],
  bigger: ['wider', 'taller', 'zoom'],
  changes: ['diff'],
  color: ['theme'],
  colour: ['theme'],
  config: ['configuration', 'theme'],
  cost: ['budget'],
  dark: ['theme'],
  delete: ['discard'],
  done: ['integrat'],
  end: ['terminate', 'cancel', 'quit'],
  exit: ['quit', 'go back'],
  find: ['filter', 'search'],
  fullscreen: ['zoom'],
  history: ['replay', 'conversation'],
  kill: ['terminate', 'cancel'],
  leave: ['quit', 'go back'],
  maximize: ['zoom'],
  merge: ['integrat'],
  message: ['answer', 'say'],
  money: ['budget'],
  options: ['configuration', 'theme'],
  output: ['log'],
  permission: ['needs you', 'allow'],
  preferences: ['configuration', 'theme'],
  price: ['cost', 'budget'],
  question: ['needs you', 'answer'],
  remove: ['discard'],
  rerun: ['retry'],
  resize: ['wider', 'narrower', 'taller', 'lower'],
  restart: ['retry'],
  revert: ['undo'],
  rollback: ['undo'],
  run: ['start an agent'],
  settings: ['configuration', 'theme'],
  shortcuts: ['keys'],
  smaller: ['narrower', 'lower'],
  stop: ['terminate', 'cancel', 'pause', 'say'],
  talk: ['say'],
  terminal: ['shell'],
}

/** The words to look for when a person has typed this one, which may be incomplete. */
export const wordsFor = (typed: string): readonly string[] => [
  typed,
  ...(typed.length < 3
    ? []
    : Object.entries(synonyms).flatMap(([word, others]) => (word.startsWith(typed) ? others : []))),
]
