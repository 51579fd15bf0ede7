import { counts } from './common.ts'

const arrowNames = { '↑': 'up', '↓': 'down', '←': 'left', '→': 'right' } as const

/** The panes as sentences, for a screen reader. */
export const spokenText = {
  headings: {
    board: (tasks: number) => `Board, ${counts.tasks(tasks)}`,
    agents: (n: number) => `Agents, ${n}`,
    log: (subject: string) => (subject === '' ? 'Log' : `Log of ${subject}`),
    worktrees: (n: number) => `Worktrees, ${n}`,
  },
  hasFocus: ', the keys go here',
  noTaskFound: 'No task meets the filter.',
  task: (id: number, selected: boolean) => `${selected ? 'Selected: task' : 'Task'} ${id}`,
  agent: (id: string, selected: boolean) => `${selected ? 'Selected: agent' : 'Agent'} ${id}`,
  worktree: (name: string, selected: boolean) => `${selected ? 'Selected: worktree' : 'Worktree'} ${name}`,
  after: 'after',
  for: 'for',
  byAgent: (agent: string) => `agent ${agent}`,
  waitsForYou: 'waits for you',
  item: (kind: string, selected: boolean, marked: boolean) => `${selected ? 'Selected: ' : ''}${marked ? 'marked, ' : ''}${kind}`,
  selected: 'Selected: ',
  section: (title: string, opened: boolean) => `${title}, ${opened ? 'open' : 'folded'}`,
  notNow: (keys: string) => `not now: ${keys}`,
  kind: (kind: string) => `kind ${kind}`,
  atTask: (task: string) => `task ${task}`,
  nearlyFull: 'its context is nearly full',
  distance: (ahead: number, behind: number | null) => `${ahead} ahead and ${behind} behind`,
  lines: (added: number, removed: number | null) => `${counts.lines(added)} added, ${removed} removed`,
  uncommitted: (n: number) => `${counts.files(n)} not committed`,
  isAsked: ' is asked of you',
  noteAt: (level: string, at: string) => `${level} at ${at}`,
  forTime: (time: string) => `for ${time}`,
  /** Arrows by their names, of which a screen reader makes "downwards arrow", or nothing. */
  arrows: (words: string) => words.replace('← →', 'left and right').replace(/[↑↓←→]/g, (arrow) => arrowNames[arrow as keyof typeof arrowNames]),
  underAMinute: 'less than a minute',
  days: counts.days,
  hours: counts.hours,
  minutes: counts.minutes,
} as const
