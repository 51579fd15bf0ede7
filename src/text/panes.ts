import { commonText } from './common.ts'

/** The panes: their titles, and what they say while they are empty. */
export const paneText = {
  titles: { board: '1 Board', agents: '2 Agents', log: '3 Log', worktrees: '4 Worktrees' },
  logOf: (words: string) => `3 Log  ${words}`,
  taskOf: (id: number) => `task ${id}`,
  noTasks: (key: string) => `No tasks yet; ${key} makes one.`,
  noTaskFound: 'No task meets the filter; esc shows all.',
  noAgents: (key: string) => `No agents; ${key} spawns one.`,
  agentless: "No agent found: see 'aiswarm doctor', then start anew.",
  noWorktrees: 'No worktrees yet.',
  noLog: 'Nothing was said or written yet.',
  following: 'following',
  held: 'held',
  heldBack: (lines: number) => `${lines} back`,
  shapes: { columns: 'columns', tree: 'tree' },
  critical: (tasks: number) => `tree  ◆ ${tasks} tasks in a row`,
} as const

/** Of a list or a text that is longer than its room: which part is seen. */
export const rangeText = (first: number, last: number, total: number): string => commonText.partOf(`${first}–${last}`, total)

/** How a session ended, in a few words. */
export const sessionEnd = (completed: number, all: number, failed: number): string => `${completed} of ${all} done${failed > 0 ? `, ${failed} failed` : ''}`

/** Beside what is being typed below the panes. `{find}` and the like stand for the key of that row. */
export const typingHints = {
  findNext: '{find} finds the next, esc leaves',
  findInLogs: '{seek-logs} finds the next, esc leaves',
  lookEverywhere: '{seek} looks in all memories and task logs, esc leaves',
  keepKeys: '{keep-search} keeps these keys, esc leaves',
  filter: '{keep-filter} keeps, esc clears',
  filterLabel: (typed: string) => `typed: ${typed}`,
} as const

/** A question before something that cannot be taken back. */
export const confirmText = {
  title: 'Do this?',
  /** What says yes stays where it is. */
  answers: 'y yes   {no} no',
  hidden: (lines: number) => `… ${lines} more lines need a larger screen`,
} as const

/** Short enough for 20 columns. */
export const tooSmallText = {
  needsRoom: 'aiswarm needs room',
  size: (columns: number, rows: number) => `40×10, this is ${columns}×${rows}`,
  keys: '{quit} quits, agents work',
} as const

/** Tabs as a screen reader reads them. */
export const shownTab = (name: string): string => `shown: ${name}`

export const mouseText = { answeredByKey: (key: string) => `That is answered by its key: ${key}.` } as const

export const crowded = 'crowded'
