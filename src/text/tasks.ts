import { commonText } from './common.ts'

// A task: its details, its race, and the filter of tasks.

export const taskText = {
  title: (id: number) => `Task ${id}`,
  wakes: (sleep: string, key: string) => `${sleep}; ${key} ends the sleep`,
  blockedBy: (tasks: readonly number[]) => `by ${tasks.join(', ')}`,
  repositoryRoot: 'the repository root',
  ownWorktree: 'one of its own, created when it starts',
  attempts: (attempt: number, retried: number) => `${attempt}, ${retried} retried`,
  waitsForAnswer: '; it needs your answer',
  facts: {
    persona: 'persona',
    priority: 'priority',
    agent: 'agent',
    worktree: 'worktree',
    wishes: 'to run',
    attempt: 'attempt',
    progress: 'progress',
    estimate: 'estimate',
    dependsOn: 'depends on',
    neededBy: 'needed by',
    parent: 'parent',
    subtasks: 'subtasks',
    createdBy: 'created by',
    claimed: 'claimed',
    started: 'started',
    completed: 'completed',
    context: 'context',
    used: 'used',
    budget: 'budget',
  },
  command: 'Command',
  error: 'Error',
  description: 'Description',
  criteria: 'Acceptance criteria',
  met: (met: number, all: number) => `${commonText.partOf(met, all)} met`,
  related: 'Dependencies and subtasks',
  noneRelated: 'None.',
  attemptList: 'Attempts',
  commits: 'Commits',
  commit: (oid: string, subject: string, author: string, at: string, attempt: number) =>
    `${oid} ${subject}  (${author}, ${at}, attempt ${attempt})`,
  result: 'Result',
  artifacts: 'Artifacts',
  history: 'History',
  did: {
    created: 'created',
    edited: 'edited',
    retried: 'retried',
    cancelled: 'cancelled',
    budget: 'answered its budget',
  },
  notes: 'Logs',
  noNotes: 'No notes or output yet.',
  printedBy: (agent: string, shown: number, all: number) =>
    shown < all ? `Output of ${agent}, the last ${shown} lines:` : `Output of ${agent}:`,
} as const

/** The view of a race. */
export const raceText = {
  title: (task: number, status: string) => `Race of task ${task}, ${status}`,
  some: (from: number, to: number, all: number) => `racers ${from}–${to} of ${all}`,
  reading: 'Reading the racers…',
  noTask: 'No task to show a race of: select one.',
  money: (words: string) => `All racers: ${words}`,
  askedAt: 'The budget is used up: all racers are paused until you answer in the inbox.',
  contradicts: (says: string, fact: string) => `${says}; ${fact}`,
  labels: {
    task: 'Task',
    worktree: 'Worktree',
    agent: 'Agent',
    conflicts: 'Conflicts',
    error: 'Error',
    said: 'Claims',
  },
  ended: 'This race has ended.',
  picks: (worktree: string, task: number) => `Picks ${worktree} and completes task ${task}.`,
  approval: 'Its merge waits for your approval as before.',
  archives: (worktrees: readonly string[]) => `Ends and archives ${worktrees.join(', ')}.`,
  stops: (task: number) => `Ends the race without a winner. Task ${task} is pending again.`,
  inTrash: (worktree: string) => `${worktree}, kept only in the trash, deleted later:`,
  blocked: (worktree: string, who: string) => `${worktree}: ${who}: the folder is kept until this process exits.`,
  picked: (worktree: string) => `${worktree} is picked. Review and approve its merge.`,
  stopped: (task: number) => `The race of task ${task} is stopped.`,
  verifying: 'Merging and verifying every racer that has completed its task…',
  nothingToVerify: 'Every racer that has completed its task has a verification.',
  isArchived: (worktree: string) => `${worktree} is archived, so there is no diff to read.`,
} as const

/** The filter and the saved filters. */
export const filterText = {
  save: (filter: string) => `Save the filter ${filter}`,
  name: 'Name',
  nameHint: 'replaces a filter of the same name',
  needsName: 'A saved filter needs a name.',
  isSaved: (name: string) => `Filter saved as ${name}.`,
  noneSaved: 'No saved filters. {save-filter} saves the current filter.',
  isForgotten: (name: string, filter: string) => `Deleted the saved filter ${name}: ${filter}`,
  /** `+` marks a lower bound: not all tasks were searched. */
  found: (tasks: number, isAll: boolean) => `${tasks}${isAll ? '' : '+'} ${tasks === 1 ? 'task' : 'tasks'}`,
  continues: (key: string, words: readonly string[], more: boolean) =>
    `   ${key} ${words.join(' ')}${more ? ' …' : ''}`,
  savedTitle: 'Saved filters',
} as const
