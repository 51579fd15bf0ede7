// What the letters on the panes did, and why they do nothing. `{new}` and the like stand for the key of that row.

export const actionText = {
  isOnBoard: (task: number) => `Task ${task} is on the board again.`,
  paused: 'Nothing more starts by itself; what runs goes on. The same key resumes.',
  resumed: 'Tasks start by themselves again.',
} as const

export const actionRefusals = {
  abortsNoWorktree: 'A task or an agent is aborted; a worktree is discarded with {discard}.',
  noTaskToCancel: 'Select a task to cancel.',
  noAgentToEnd: 'Select an agent to terminate.',
  agentHasEnded: (agent: string) => `Agent ${agent} has already ended.`,
  noTaskToRetry: 'Select a task to retry.',
  takesNoRetry: (task: number, worktree: string, status: string) =>
    `Worktree ${worktree} is already ${status}, so task ${task} cannot be tried again: {abort} cancels it, {new} makes a task for what is left.`,
  spawnsForPending: (task: string) => `${task}; {spawn} spawns an agent for a pending task, or on {agents} one without a task.`,
  spawnsWhenUnblocked: (task: number, blockers: readonly number[]) =>
    `Task ${task} is blocked by ${blockers.length === 1 ? `task ${blockers[0]}` : `tasks ${someOf(blockers)}`}; an agent can be spawned for it when ${blockers.length === 1 ? 'that is' : 'they are'} completed.`,
  cancelsUnfinished: (task: string) => `${task}; {abort} cancels a task that is unfinished or has failed.`,
  noWorktree: 'Select a worktree, or a task or an agent that has one.',
  worktreeIsOver: (worktree: string, status: string) => `Worktree ${worktree} is already ${status}.`,
  worktreeIsBuilt: (worktree: string) => `Worktree ${worktree} is still being built.`,
  noFolderAnyMore: (worktree: string, status: string) => `Worktree ${worktree} was ${status} and has no folder. 'aiswarm worktree restore ${worktree}' restores it.`,
  noSession: 'There is no running session to pause.',
  noTaskToOpen: 'There is no task to open; {new} makes one.',
  noAgentToOpen: 'There is no agent to open; {spawn} spawns one.',
  noWorktreeToOpen: 'There is no worktree to open.',
} as const

export const sortText = {
  logIsNotSorted: 'A log stands in the order in which it was written; {board}, {agents} or {worktrees} goes to a list.',
  onlyList: 'Only the list is sorted; {shape} shows it.',
  inReach: (first: number | undefined, last: number | undefined) => ` Sorted is what is in reach: tasks ${first} to ${last}.`,
  fixedOrder: 'In the fixed order again.',
  sortedBy: (column: string) => `Sorted by ${column}.`,
} as const

/** The console and its terminal. */
export const consoleText = {
  bug: (why: string) => `This is a bug in aiswarm: ${why}`,
  couldNotOpen: (what: string, why: string) => `${what} could not be opened: ${why}`,
  theShell: 'The shell',
  theEditor: 'The editor',
  pasteNeedsForm: (key: string) => `Text is pasted into a form; ${key} opens one for a new task.`,
  pasteIsNoAnswer: 'What is pasted presses no key.',
  onlyOnPanes: (key: string, label: string) => `${key} (${label}) is a key of the panes; esc goes back.`,
  noShell: 'No shell started this console that could bring it back, so it goes on.',
} as const

const someOf = (tasks: readonly number[]): string => `${tasks.slice(0, 4).join(', ')}${tasks.length > 4 ? ` and ${tasks.length - 4} more` : ''}`
