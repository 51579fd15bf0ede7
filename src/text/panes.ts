import { someOf } from '../domain/words/counts.ts'
import { commonText, counts } from './common.ts'

// The main screen: header, panes, and the results and refusals of their keys. `{new}` and similar placeholders
// become the key of that row.

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

const waits = (n: number): string => `${n} ${n === 1 ? 'needs' : 'need'} you`

/** The header, drawn and spoken. */
export const headerText = {
  polled: 'polled',
  paused: 'paused',
  noSession: 'no session',
  notSupervised: 'not supervised',
  supervisedBy: (pid: number) => `supervised by pid ${pid}`,
  supervisedByHosts: (hosts: number) => `supervised by ${hosts} ${hosts === 1 ? 'host' : 'hosts'}`,
  cutOff: (since: string) => `cut off from the board since ${since}`,
  cutOffSince: (since: string) => `cut off since ${since}`,
  cutOffShort: 'cut off',
  noSandbox: 'no sandbox',
  refused: 'nothing starts without a sandbox',
  because: (what: string, why: string) => `${what}: ${why}`,
  agents: (running: number, most: number) => `agents ${running}/${most}`,
  agentsHeard: (running: number, most: number) => `${commonText.partOf(running, most)} agents`,
  tasks: (bar: string, done: number, all: number) => `tasks ${bar}${done}/${all}`,
  tasksHeard: (done: number, all: number) => `${commonText.partOf(done, all)} tasks done`,
  waits,
  pace: { done: 'done', failed: 'failed' },
  paceHeard: (attempts: number, how: string) => `${counts.attempts(attempts)} ${how} in the last two hours`,
} as const

/** Headings of the columns. */
export const headings = {
  id: 'ID',
  priority: 'PRI',
  state: 'STATE',
  time: 'TIME',
  agent: 'AGENT',
  title: 'TITLE',
  tree: 'TASK  ◆ critical path',
  worktree: 'WORKTREE',
  position: '↑ ↓',
  lines: '   + −',
  age: 'AGE',
  branch: 'BRANCH',
  host: 'HOST',
} as const

/** Marks the title of a task whose agent works in the main checkout. */
export const IN_MAIN_CHECKOUT = '⌂'

// Results and refusals of the keys on the panes.

export const actionText = {
  isOnBoard: (task: number) => `Task ${task} is pending again.`,
  paused: 'Scheduling is paused; running agents continue. Press the same key to resume.',
  resumed: 'Scheduling is resumed.',
} as const

export const actionRefusals = {
  abortsNoWorktree: 'Select a task or an agent to abort. {discard} discards a worktree.',
  noTaskToCancel: 'Select a task to cancel.',
  noAgentToEnd: 'Select an agent to terminate.',
  agentHasEnded: (agent: string) => `Agent ${agent} is already terminated.`,
  noTaskToRetry: 'Select a task to retry.',
  takesNoRetry: (task: number, worktree: string, status: string) =>
    `Worktree ${worktree} is already ${status}, so task ${task} cannot be retried. {abort} cancels it, {new} creates a task for the remaining work.`,
  spawnsForPending: (task: string) =>
    `${task}; {spawn} spawns an agent only for a pending task, or without a task on {agents}.`,
  spawnsWhenUnblocked: (task: number, blockers: readonly number[]) =>
    `Task ${task} is blocked by ${blockers.length === 1 ? `task ${blockers[0]}` : `tasks ${someOf(blockers, 4)}`}. Spawn an agent when ${blockers.length === 1 ? 'it is' : 'they are'} completed.`,
  cancelsUnfinished: (task: string) => `${task}; {abort} cancels only an unfinished or failed task.`,
  noWorktree: 'Select a worktree, or a task or an agent that has one.',
  worktreeIsOver: (worktree: string, status: string) => `Worktree ${worktree} is already ${status}.`,
  worktreeIsBuilt: (worktree: string) => `Worktree ${worktree} is still being created. Try again in a moment.`,
  isElsewhere: (worktree: string, host: string): string =>
    `Worktree ${worktree} is on host ${host}. 'aiswarm host label ${host} --ssh ADDRESS' lets this key open it there.`,
  noFolderAnyMore: (worktree: string, status: string) =>
    `Worktree ${worktree} is ${status} and has no folder. Run 'aiswarm worktree restore ${worktree}' to restore it.`,
  noSession: 'No session is running, so there is nothing to pause.',
  noTaskToOpen: 'No task to open. {new} creates one.',
  noAgentToOpen: 'No agent to open. {spawn} spawns one.',
  noWorktreeToOpen: 'No worktree to open.',
} as const

export const sortText = {
  logIsNotSorted: 'A log is not sorted. Focus a list with {board}, {agents} or {worktrees}.',
  onlyList: 'Only the list can be sorted. {shape} shows the list.',
  inReach: (first: number | undefined, last: number | undefined) =>
    ` Only the loaded tasks are sorted: ${first} to ${last}.`,
  fixedOrder: 'Default order.',
  sortedBy: (column: string) => `Sorted by ${column}.`,
} as const

/** Messages about the console and its terminal. */
export const consoleText = {
  bug: (why: string) => `This is a bug in aiswarm: ${why}`,
  couldNotOpen: (what: string, why: string) => `Cannot open ${what}: ${why}`,
  theShell: 'the shell',
  theEditor: 'the editor',
  pasteNeedsForm: (key: string) => `Paste text into a form. ${key} opens the form for a new task.`,
  pasteIsNoAnswer: 'Pasted text does not press keys.',
  onlyOnPanes: (key: string, label: string) => `${key} (${label}) works only on the panes. Press esc to go back.`,
  takesNoWrites: 'The board takes no writes now.',
  noShell: 'The console cannot be suspended: no shell with job control started it.',
} as const

/** Messages about zoomed, hidden and resized panes. */
export const arrangementText = {
  zoomed: 'The pane is zoomed. {zoom} shows all panes.',
  isZoomed: 'zoomed, {zoom} shows all',
  areHidden: (keys: string) => `hidden: ${keys}`,
  lastPane: 'The last visible pane cannot be hidden. Press the number of another pane to show it.',
  isHidden: (pane: string, key: string) => `${pane} is hidden. ${key} shows it again.`,
  belowEachOther: 'The panes are stacked: use {lower} and {taller}.',
  besideEachOther: 'No pane is above or below this one: use {wider} and {narrower}.',
  widest: 'The pane has its maximum width. {narrower} makes it narrower.',
  narrowest: 'The pane has its minimum width. {wider} makes it wider.',
  tallest: 'The pane has its maximum height. {lower} makes it lower.',
  lowest: 'The pane has its minimum height. {taller} makes it taller.',
  unmoved: 'No border was moved: each pane is as large as its content.',
  onePane: 'The terminal has room for one pane.',
  panes: { board: 'The board', agents: 'The list of agents', log: 'The log', worktrees: 'The list of worktrees' },
} as const

/** First steps, shown until the first task is created. */
export const guideText = {
  newTask: 'An agent starts for it, in a worktree of its own.',
  newCommand: "No agent CLI found: give it a command, or run 'aiswarm doctor'.",
  integrate: (key: string) => `Then ${key} on its worktree shows the changes for your approval.`,
  find: (help: string, palette: string, back: string) =>
    `${help} shows all keys, ${palette} finds a command, ${back} hides these lines.`,
} as const

/** In place of an item that no longer exists. */
export const goneText = { title: 'Gone', says: 'This item no longer exists. Press esc to go back.' } as const
