import { rangeText } from './panes.ts'

/** All that waits for a person. */
export const inboxText = {
  title: 'Waiting for you',
  nothing: 'Nothing waits for you.',
  asked: 'Asked',
  cutOff: (lines: number, key: string) => (lines > 0 ? `${lines} more ${lines === 1 ? 'line' : 'lines'}: ${key}` : ''),
  marked: (n: number) => `${n} marked`,
  unlisted: (n: number) => `${n} older ${n === 1 ? 'failure' : 'failures'} not listed`,
  range: rangeText,
  expiresIn: (time: string) => `expires in ${time}`,
  told: (did: string, agent: string, at: string) => `${did}, told ${agent} ${at}`,
  beingTold: (did: string, at: string, agent: string) => `${did} ${at}; ${agent} is being told …`,
  /** `{item-yes}` and the like stand for the key of that row. */
  budget: (task: number | null) =>
    `{item-yes} raises the budget by as much as it was at first, {item-always} takes the limit away, {item-cancel} ${task === null ? 'starts nothing more' : 'cancels the task'}`,
  beingDone: (did: string, at: string) => `${did} ${at} …`,
  /** What the keys that allow do to something else. */
  yesLabels: { budget: 'raise', command: 'run', configuration: 'show' },
  budgetAlways: 'no limit',
  /** What the key that denies does to a question, and to what was denied already. */
  leaves: 'leave it',
} as const

/** Several things that are alike, answered together. */
export const bulkText = {
  verbs: {
    allow: (n: number) => `Allows these ${n} once each:`,
    deny: (n: number) => `Denies these ${n}:`,
    always: (n: number) => `Allows these ${n}, and their like from now on:`,
    retry: (n: number) => `Puts these ${n} back on the board:`,
  },
  /** Agents' rules, such as `shell(npm test) for implementer`. */
  rules: (rules: readonly string[]) => `The configuration then has: ${rules.join(', ')}`,
  forPersona: (persona: string) => ` for ${persona}`,
  retried: 'retried',
} as const

export const bulkRefusals = {
  answeredAlready: 'What was marked is answered already.',
  noFailedTask: (item: string) => `'${item}' is no failed task.`,
  doesNotFit: (lines: number, room: number) => `They do not all fit on the screen to be read (${lines} of ${room} lines); mark fewer.`,
  anotherKey: (item: string) => `'${item}' is answered with another key.`,
  inWords: 'A question is answered by itself, in words.',
} as const

/** Why a letter does nothing to the item under the cursor. `{item-open}` and the like stand for the key of that row. */
export const inboxRefusals = {
  nothingLeft: 'Nothing waits for you any more; esc goes back.',
  isAnswered: (receipt: string) => `It is answered: ${receipt}.`,
  bySheet: {
    approve: 'An integration is bound to its commits: {item-open} shows them, and there y approves exactly these.',
    conflict: '{item-open} shows the conflict; when it is resolved on the branch, {item-integrate} asks again.',
    unverified: '{item-open} shows what failed; when it is repaired on the branch, {item-integrate} asks again.',
    command: '{item-yes} runs it after a question that spells it out, {item-cancel} cancels the task.',
    unstartable: "Set a kind that is installed in .aiswarm/config.yaml ('aiswarm doctor' names them), or {item-cancel} cancels the task; {item-open} shows it.",
    stalled: '{item-cancel} cancels the task; {item-open} shows it, with its log.',
    failed: '{item-retry} puts it back on the board, {item-cancel} gives it up; {item-open} shows what went wrong.',
    budget: '{item-yes} raises it, {item-always} takes the limit away, {item-cancel} stops; {item-open} shows what was used.',
  },
  takesNoRetry: (worktree: string, status: string) =>
    `Worktree ${worktree} is already ${status}, so it cannot be tried again: {item-cancel} gives it up; {item-open} shows what went wrong.`,
  opensIt: '{item-open} opens it.',
  onlyRequests: 'Only what an agent may do, or use, can be allowed from now on.',
  onlyFailed: 'Only a failed task is retried.',
  onlyStill: 'Only a task that has failed, cannot start, is stalled, is over its budget or waits for your word on its command is cancelled here.',
  noWorktree: 'It is not about a worktree.',
  tooFast: 'This one has only just come under the cursor; press again once it is read.',
  readFirst: 'Read it to its end first; the same key answers it here.',
  byItself: 'This is decided by itself, never together with others.',
} as const
