import { counts } from './common.ts'

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
