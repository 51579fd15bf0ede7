import { counts } from './common.ts'

// The words of a screen reader: panes and rows as sentences, and signs as words.

/** The panes as sentences, for screen readers. */
export const spokenText = {
  headings: {
    board: (tasks: number) => `Board, ${counts.tasks(tasks)}`,
    agents: (n: number) => `Agents, ${n}`,
    log: (subject: string) => (subject === '' ? 'Log' : `Log of ${subject}`),
    worktrees: (n: number) => `Worktrees, ${n}`,
  },
  hasFocus: ', focused',
  noTaskFound: 'No task matches the filter.',
  task: (id: number, selected: boolean) => `${selected ? 'Selected: task' : 'Task'} ${id}`,
  agent: (id: string, selected: boolean) => `${selected ? 'Selected: agent' : 'Agent'} ${id}`,
  marked: 'marked',
  worktree: (name: string, selected: boolean) => `${selected ? 'Selected: worktree' : 'Worktree'} ${name}`,
  after: 'after',
  for: 'for',
  byAgent: (agent: string) => `agent ${agent}`,
  waitsForYou: 'needs you',
  item: (kind: string, selected: boolean, marked: boolean) =>
    `${selected ? 'Selected: ' : ''}${marked ? 'marked, ' : ''}${kind}`,
  selected: 'Selected: ',
  section: (title: string, opened: boolean) => `${title}, ${opened ? 'unfolded' : 'folded'}`,
  notNow: (keys: string) => `not now: ${keys}`,
  kind: (kind: string) => `kind ${kind}`,
  host: (host: string) => `on ${host}`,
  atTask: (task: string) => `task ${task}`,
  nearlyFull: 'its context is nearly full',
  distance: (ahead: number, behind: number | null) => `${ahead} ahead and ${behind} behind`,
  lines: (added: number, removed: number | null) => `${counts.lines(added)} added, ${removed} removed`,
  uncommitted: (n: number) => `${counts.files(n)} uncommitted`,
  isAsked: ' needs your answer',
  noteAt: (level: string, at: string) => `${level} at ${at}`,
  forTime: (time: string) => `for ${time}`,
  underAMinute: 'less than a minute',
  days: counts.days,
  hours: counts.hours,
  minutes: counts.minutes,
} as const

/** Drawn rows, for screen readers. */
export const heardRows = {
  task: (row: {
    id: number
    says: string
    time: string
    agent: string
    title: string
    reason: string
    asks: boolean
    selected: boolean
  }) =>
    `${selectedFirst(row.selected)}task ${row.id}, ${row.says} ${row.time}, ${row.agent}, ${row.title}${row.reason === '' ? '' : `, ${row.reason}`}${asksLast(row.asks)}`,
  card: (row: { id: number; word: string; time: string; title: string; asks: boolean; selected: boolean }) =>
    `${selectedFirst(row.selected)}task ${row.id}, ${row.word} ${row.time}, ${row.title}${asksLast(row.asks)}`,
  branch: (row: {
    level: number
    id: number
    says: string
    title: string
    also: string
    reason: string
    critical: boolean
    asks: boolean
    matches: boolean
    selected: boolean
  }) =>
    `${selectedFirst(row.selected)}level ${row.level}, task ${row.id}, ${row.says}, ${row.title} ${row.also}${row.reason === '' ? '' : `, ${row.reason}`}${row.critical ? ', on the critical path' : ''}${row.matches ? '' : ', no filter match'}${asksLast(row.asks)}`,
  worktree: (row: { name: string; ahead: number | null; behind: number | null; says: string; selected: boolean }) =>
    `${selectedFirst(row.selected)}worktree ${row.name}, ${row.ahead ?? 0} ahead, ${row.behind ?? 0} behind, ${row.says}`,
} as const

const selectedFirst = (selected: boolean): string => (selected ? 'selected: ' : '')
const asksLast = (asks: boolean): string => (asks ? ', needs you' : '')

// Signs as words, because a screen reader reads the character's name or nothing.

/** A line of the console as a sentence without columns. Text from outside does not pass here. */
export const inWords = (line: string): string =>
  words
    .reduce((text, [sign, word]) => text.replace(sign, word), line)
    .replace(gaps, (_, before: string) => (before === '' || /[,:;.…]/.test(before) ? `${before} ` : `${before}, `))
    .replace(/ {2,}/g, ' ')
    .replace(/^[\s,]+| +$/g, '')

/** Ordered: signs beside a number or a word, then single signs, then box drawing. */
const words: readonly (readonly [RegExp, string])[] = [
  [/⟨([0-9A-F]{2,6})⟩/g, ' hidden character $1 '],
  [/•+/g, 'masked'],
  [/\+(\d+) +[−-](\d+)/g, '$1 added, $2 removed'],
  [/−(?=\d)/g, 'minus '],
  // The bar of a file repeats its numbers.
  [/ [+−]+\s*$/g, ''],
  [/ ×(\d+)/g, ' $1 times'],
  [/(\d)×(?=\d)/g, '$1 by '],
  [/ × /g, ' and '],
  [/(?<=[\w)]{2}) → (?=\w)|(?<=\w)→(?=\w)/g, ' to '],
  [/← →/g, 'left and right'],
  [/↑/g, 'up'],
  [/↓/g, 'down'],
  [/←/g, 'left'],
  [/→/g, 'right'],
  // Some words repeat the sign before them.
  [/✗ ?(?=.{0,24}(?:failed|unverified))/g, ''],
  [/(failed) ✗/g, '$1'],
  [/✗/g, 'failed'],
  [/✓ (?=(?:approved|accepted|completed|done|integrated|passed|resolved|succeeded|task done)\b)/g, ''],
  [/([Vv]erified|passed) ✓/g, '$1'],
  [/✓/g, 'ok'],
  [/○ (?=(?:pending|idle)\b)/g, ''],
  [/○/g, 'open'],
  [/● (?=(?:active|claimed|running|working)\b)/g, ''],
  [/●/g, 'now'],
  [/⌂/g, 'in the main checkout'],
  [/⚠/g, 'warning'],
  [/✎/g, 'remark:'],
  [/ ?· ?/g, ', '],
  [/[\u2500-\u259f\u2800-\u28ff▲▴▶▸▼▾◀◂◆◇◌◍◐◔‖⚑↪‹›]/g, ''],
]

/** The gap between columns becomes a comma. */
const gaps = /(\S?) {2,}(?=\S)/g
