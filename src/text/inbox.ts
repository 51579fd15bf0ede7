import { rangeText } from './panes.ts'

/** The inbox. */
export const inboxText = {
  title: 'Inbox',
  nothing: 'Nothing needs you.',
  asked: 'Asked',
  cutOff: (lines: number, key: string) => (lines > 0 ? `${lines} more ${lines === 1 ? 'line' : 'lines'}: ${key}` : ''),
  marked: (n: number) => `${n} marked`,
  unlisted: (n: number) => `${n} older ${n === 1 ? 'failure' : 'failures'} not listed`,
  range: rangeText,
  expiresIn: (time: string) => `expires in ${time}`,
  told: (did: string, agent: string, at: string) => `${did}, reported to ${agent} ${at}`,
  beingTold: (did: string, at: string, agent: string) => `${did} ${at}; reporting to ${agent} …`,
  /** `{item-yes}` and similar placeholders become the key of that row. */
  budget: (task: number | null) =>
    `{item-yes} raises the budget by its initial amount, {item-always} removes the limit, {item-cancel} ${task === null ? 'pauses scheduling' : 'cancels the task'}`,
  beingDone: (did: string, at: string) => `${did} ${at} …`,
  /** The label of `item-yes`, by the kind of the item. */
  yesLabels: {
    budget: 'raise',
    command: 'run',
    configuration: 'show',
    moved: 'show',
    checkout: 'show',
    mail: 'show',
    returned: 'show',
  },
  budgetAlways: 'no limit',
  /** The label of `item-no` for a question and for a denial. */
  leaves: 'leave it',
} as const

/** Several items answered together. */
export const bulkText = {
  verbs: {
    allow: (n: number) => `Allows these ${n} once each:`,
    deny: (n: number) => `Denies these ${n}:`,
    always: (n: number) => `Always allows these ${n} and similar requests:`,
    retry: (n: number) => `Retries these ${n}:`,
  },
  /** Agents' rules, such as `shell(npm test) for implementer`. */
  rules: (rules: readonly string[]) => `Rules added to the configuration: ${rules.join(', ')}`,
  forPersona: (persona: string) => ` for ${persona}`,
  retried: 'retried',
} as const

export const bulkRefusals = {
  answeredAlready: 'The marked items are already answered.',
  noFailedTask: (item: string) => `'${item}' is not a failed task.`,
  doesNotFit: (lines: number, room: number) =>
    `The marked items need ${lines} lines, but ${room} are visible. Mark fewer.`,
  anotherKey: (item: string) => `'${item}' needs another key.`,
  inWords: 'A question needs its own answer. Open it alone.',
} as const

/** Refusals for the item under the cursor. `{item-open}` and similar placeholders become the key of that row. */
export const inboxRefusals = {
  nothingLeft: 'Nothing needs you any more. Press esc to go back.',
  isAnswered: (receipt: string) => `Already answered: ${receipt}.`,
  bySheet: {
    approve: 'Press {item-open} to review the commits; y there approves exactly these.',
    conflict: '{item-open} shows the conflict. Resolve it on the branch, then press {item-integrate}.',
    unverified: '{item-open} shows the failure. Fix it on the branch, then press {item-integrate}.',
    command: '{item-yes} runs it after a confirmation with the full command, {item-cancel} cancels the task.',
    unstartable:
      "Set an installed kind in .aiswarm/config.yaml ('aiswarm doctor' lists them). {item-cancel} cancels the task, {item-open} shows it.",
    stalled: '{item-cancel} cancels the task, {item-open} shows the task and its log.',
    failed: '{item-retry} retries it, {item-cancel} cancels it, {item-open} shows the error.',
    budget: '{item-yes} raises it, {item-always} removes the limit, {item-cancel} stops, {item-open} shows the usage.',
  },
  takesNoRetry: (worktree: string, status: string) =>
    `Worktree ${worktree} is already ${status}, so the task cannot be retried. {item-cancel} cancels it, {item-open} shows the error.`,
  opensIt: '{item-open} opens it.',
  onlyRequests: 'Only a permission or a denial can be allowed always.',
  onlyFailed: 'Only a failed task can be retried.',
  onlyStill:
    'Only a task that failed, cannot start, is stalled, is over budget or needs a confirmed command can be cancelled here.',
  noWorktree: 'This item has no worktree.',
  tooFast: 'This item was selected just now. Read it, then press the key again.',
  readFirst: 'Scroll to its end first; the same key answers it here.',
  byItself: 'This item cannot be answered together with others.',
} as const
