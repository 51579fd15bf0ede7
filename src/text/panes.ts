import { commonText } from './common.ts'

/** The panes: titles and empty states. */
export const paneText = {
  titles: { board: '1 Board', agents: '2 Agents', log: '3 Log', worktrees: '4 Worktrees' },
  names: { board: 'Board', agents: 'Agents', log: 'Log', worktrees: 'Worktrees' },
  ended: (agents: number, most: number, key: string) =>
    `${agents} ended; ${key} shows ${agents > most ? `the latest ${most}` : 'them'}`,
  noAgentToMark: 'No agent to mark: select one that works in the agents pane.',
  noneEnded: 'No ended agents are folded.',
  logOf: (words: string) => `3 Log  ${words}`,
  taskOf: (id: number) => `task ${id}`,
  noTasks: (key: string) => `No tasks yet; ${key} creates one.`,
  noTaskFound: 'No task matches the filter; esc shows all.',
  noAgents: (key: string) => `No agents; ${key} spawns one.`,
  agentless: "No agent CLI found. Run 'aiswarm doctor', then restart aiswarm.",
  noWorktrees: 'No worktrees yet.',
  noLog: 'No notes or output yet.',
  following: 'following',
  held: 'paused',
  heldBack: (lines: number) => `${lines} up`,
  shapes: { columns: 'columns', tree: 'tree' },
  critical: (tasks: number) => `tree  ◆ ${tasks} tasks in a row`,
} as const

/** The visible part of a long list or text. */
export const rangeText = (first: number, last: number, total: number): string =>
  commonText.partOf(`${first}–${last}`, total)

/** The result of a session. */
export const sessionEnd = (completed: number, all: number, failed: number): string =>
  `${completed} of ${all} done${failed > 0 ? `, ${failed} failed` : ''}`

/** Beside the text field below the panes. `{find}` and similar placeholders become the key of that row. */
export const typingHints = {
  findNext: '{find} next match, esc cancel',
  findInLogs: '{seek-logs} next match, esc cancel',
  findInTalk: '{seek-talk} nearest earlier match, esc cancel',
  lookEverywhere: '{seek} search memories and task logs, esc cancel',
  keepKeys: '{keep-search} keep, esc cancel',
  filter: '{keep-filter} keep, esc clear',
  filterLabel: (typed: string) => `typed: ${typed}`,
} as const

/** The confirmation before an irreversible action. */
export const confirmText = {
  title: 'Confirm',
  /** The key that confirms cannot be changed. */
  answers: 'y yes   {no} no',
  hidden: (lines: number) => `… ${lines} more lines: enlarge the terminal`,
} as const

/** At most 20 columns. */
export const tooSmallText = {
  needsRoom: 'terminal too small',
  size: (columns: number, rows: number) => `40×10, this is ${columns}×${rows}`,
  keys: '{quit} quit, agents run',
} as const

/** The selected tab, for screen readers. */
export const shownTab = (name: string): string => `selected: ${name}`

export const mouseText = { answeredByKey: (key: string) => `Press ${key} to answer; a click does not.` } as const

export const crowded = 'crowded'
