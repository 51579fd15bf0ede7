import { someOf } from '../domain/words/counts.ts'

// Results and refusals of the keys on the panes. `{new}` and similar placeholders become the key of that row.

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
