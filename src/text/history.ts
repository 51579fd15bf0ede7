import { commonText, counts } from './common.ts'
import { rangeText } from './panes.ts'

// The past: logs, git commands, the timeline, plots.

/** The logs of all agents. */
export const logText = {
  title: 'Logs of all agents',
  attempt: (task: number, attempt: number) => `── task ${task}, attempt ${attempt} ──`,
  errorsOnly: 'errors only',
  andWorse: (level: string) => `${level} and above`,
  wrapped: 'wrapped',
  dropped: (lines: number) => `${lines} older lines dropped`,
  nothingThatBad: 'No line has this level. Choose a lower level.',
  // The command comes first, so that a narrow terminal does not cut it.
  onlyTheNotes: (notes: number) => `… 'aiswarm task logs ID': older than the last ${notes} notes`,
  onlyTheAgents: (agents: number) => `… 'aiswarm agent logs ID': output of agents that ended before the last ${agents}`,
  onlyTheEnd: (size: string, agent: string) => `… 'aiswarm agent logs ${agent} --raw': ${size} before this`,
  tooFast: (size: string) => `… ${size} of output arrived too fast to show …`,
  typeFirst: 'Press {search-logs} and type a search text first.',
  notFound: (words: string) => `No shown line contains ‘${words}’.`,
  noError: 'No error in these lines.',
  // The path comes first, so that a narrow terminal does not cut it.
  saved: (lines: number, path: string) => `Saved ${path}, ${lines} ${lines === 1 ? 'line' : 'lines'}.`,
} as const

/** The git commands that aiswarm ran. */
export const gitText = {
  title: (n: number) => `git commands (${n})`,
  none: 'No git commands yet.',
  ended: 'ended',
  exit: (code: number) => `exit ${code}`,
} as const

/** The timeline: a past moment of the session. */
export const pastText = {
  title: (at: string, session: string) => `Timeline  ${at}${session === '' ? '' : `  ${session}`}`,
  tasks: (n: number, isWhole: boolean) => `${n} tasks${isWhole ? '' : ', earlier ones unknown'}`,
  noTask: 'No tasks yet.',
  agents: 'Agents',
  noAgent: 'No agents.',
  some: (rows: number, of: number) => `${rows} of ${of}`,
  worktrees: 'Worktrees',
  noWorktree: 'No worktrees.',
  beforeFirst: 'Before the first event.',
  task: (id: number, title: string | undefined) => `task ${id}${title === undefined ? '' : ` (${title})`}`,
  bar: (playing: boolean, at: number, of: number, after: string) =>
    `timeline, ${playing ? 'playing, ' : ''}event ${at} of ${of}, ${after}`,
} as const

/** The plots of a session. */
export const plotText = {
  title: 'Plots',
  noSession: 'No session yet.',
  rates: (step: string) => `Per ${step}`,
  burnDown: 'Burn-down',
  lanes: 'Attempts',
  ended: (session: string, attempts: number) => `${session}, ${counts.attempts(attempts)} ended`,
  burnNote: (open: number | undefined, made: number, closed: number) =>
    `${open} open, ${made} created, ${closed} closed`,
  agentsSeen: (first: number, last: number, all: number) => `${rangeText(first, last, all)} agents`,
  leftOut: (what: string) => `not shown: ${what}`,
  /** The values at the bottom and at the top of a plot. */
  scale: (most: string, plain: boolean) => `scale 0${plain ? '-' : '–'}${most}`,
  cost: 'cost',
  tokens: 'tokens',
  notTold: 'not reported',
  unpriced: (costs: string, tokens: string) => `${costs} without ${tokens} tokens`,
  saidLane: (agent: string, attempts: number) => `${agent}: ${counts.attempts(attempts)}`,
  endingHeard: { completed: 'completed', failed: 'failed', stopped: 'stopped', working: 'working' },
  endings: { completed: 'completed', failed: 'failed', stopped: 'stopped', working: commonText.underWay },
} as const
