import { commonText } from './common.ts'
import { rangeText } from './panes.ts'

// The inbox, and the views in which a person answers its items.

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

/** The request of an agent. */
export const requestText = {
  titles: { permission: 'asks for permission', question: 'asks a question', denial: 'was denied a tool' },
  facts: {
    agent: 'agent',
    task: 'task',
    tool: 'tool',
    asked: 'asked',
    expires: 'expires',
    allows: 'a allows',
    told: 'delivered',
  },
  expires: (after: string, isQuestion: boolean) =>
    `in ${after}; then ${isQuestion ? 'the agent decides' : 'it is denied'}`,
  question: 'Question',
  about: 'Details',
  change: 'Change',
  passed: 'Input',
} as const

/** The outcomes of a request. */
export const requestOutcomes = {
  allowed: 'allowed',
  denied: 'denied',
  answered: 'answered',
  expired: 'expired: denied',
  withdrawn: 'withdrawn: the attempt ended',
} as const

export const expiredQuestion = 'expired: the agent decides'

/** The keys of the request, by its state. */
export const requestAnswers = {
  over: `closed   ${commonText.back}`,
  ended: (outcome: string) => `${outcome}   ${commonText.back}`,
  question: (key: string) => `${key} answer   n let the agent decide   ${commonText.back}`,
  choice: (key: string, options: number) =>
    `${options === 1 ? '1' : `1–${options}`} choose   ${key} answer in words   n let the agent decide   ${commonText.back}`,
  always: (rule: string) => `   a always: ${rule}`,
  denial: (always: string) => `n leave it${always}   ${commonText.back}`,
  permission: (always: string, words: string) =>
    `y allow once   n deny   ${words} in words${always}   ${commonText.back}`,
} as const

export const requestRefusals = {
  noOptions: 'This request has no numbered answers.',
  noOption: (options: number) => (options === 1 ? 'The only answer is 1.' : `Choose an answer from 1 to ${options}.`),
  over: 'The request is closed. Press esc to go back.',
  hasGoneOn: 'The CLI already denied it and continued. Press a to allow it from now on.',
  noRuleForDenial: 'No rule can describe this request. Press n to leave it.',
  deniedAlready: 'The CLI already denied it and continued. Press n to leave it.',
  noRule: 'No rule can describe this request. Allow it once, or deny it.',
} as const

/** Receipts of answers: `did` for the inbox, the others as messages. */
export const answerReceipts = {
  did: { allow: 'allowed', always: 'always allowed', deny: 'denied', leave: 'left', leaveToAgent: 'left to agent' },
  allowed: (agent: string, tool: string | null) => `Allowed ${agent} to use ${tool} once.`,
  allowedAlways: (rule: string | null, persona: string) =>
    `${rule} is always allowed for ${persona}; the rule goes into .aiswarm/config.yaml.`,
  denied: (agent: string, tool: string | null) => `Denied ${agent} the use of ${tool}.`,
  left: 'Nothing changed.',
  decidesItself: (agent: string | null) => `${agent} decides.`,
  /** The answer sent to the agent. */
  toldToDecide: 'The person left the decision to you. Decide, or fail the task.',
} as const

/** Changed configuration of git or aiswarm in the repository. */
export const guardText = {
  title: 'The configuration of the repository has changed',
  titleThere: (host: string) => `The configuration of the clone on host ${host} has changed`,
  sinceThere: (at: string) =>
    `First seen at ${at}. Filters in these lines are not used on that host until you accept the changes, or revert them there.`,
  since: (at: string) => `First seen at ${at}. Integrations wait until you accept the changes or revert them.`,
  why: 'An agent may have made these changes. git would run the programs in these lines.',
  whyOwn:
    'An agent may have made these changes. aiswarm would run the commands and apply the rules in these lines. Until you accept them, the previous configuration applies. After that, hooks and rules apply immediately, the rest at the next start.',
  changes: 'Changes',
  answer: 'y accept exactly these lines   esc back',
  unchanged: 'The configuration has no unaccepted changes.',
  did: 'accepted',
  isAccepted: 'The configuration is accepted; integrations continue.',
  isAcceptedThere: (host: string) => `The configuration of the clone on host ${host} is accepted.`,
} as const

/** Answers to a used-up budget and their receipts. */
export const budgetText = {
  nobodyAsked: 'This budget no longer needs an answer. Press esc to go back.',
  theSession: 'the session',
  theTask: (id: number) => `task ${id}`,
  did: { raise: 'raised', none: 'limit removed', stop: 'stopped' },
  raised: (what: string, limit: string) => `The budget of ${what} is now ${limit}; work continues.`,
  lifted: (what: string) => `${what[0]!.toUpperCase()}${what.slice(1)} continues without a limit.`,
  stopped: 'Scheduling is paused; running agents continue. {pause} resumes.',
} as const

/** The facts for a decision on a used-up budget. */
export const budgetSheetText = {
  title: (task: number | null) => `${task === null ? 'The session' : `Task ${task}`} has used up its budget`,
  cost: 'Cost',
  facts: { used: 'used', budget: 'budget', soFar: 'so far', task: 'task', agent: 'agent', asked: 'asked' },
  paused: ', paused',
  attempts: 'Attempts',
  answers: 'Answers',
  raise: 'y raises the budget by its initial amount until it suffices.',
  lift: 'a removes the limit.',
  stop: (task: number | null) =>
    task === null
      ? 'x pauses scheduling; running agents continue.'
      : 'x cancels the task and stops its agent (asks first).',
  keys: 'y raise   a no limit   x stop   esc back',
  isAnswered: `answered   ${commonText.back}`,
} as const

/** Messages of an agent to the person. */
export const mailText = {
  title: (agent: string) => `Messages of ${agent}`,
  why: 'These are the words of an agent. aiswarm does nothing because of them, and the agent waits for no answer.',
  head: (id: number, at: string, to: string) => `Message ${id}, ${at}${to === 'person' ? '' : `, to ${to}`}`,
  answer: (read: string, reply: string) => `${read} mark as read   ${reply} reply   esc back`,
  did: 'read',
  isRead: (n: number) => `${n} ${n === 1 ? 'message is' : 'messages are'} marked as read.`,
  gone: 'These messages are already marked as read. Press esc to go back.',
} as const

// Changes of the target branch and of the main checkout that aiswarm did not make.

/** The target branch. */
export const movedText = {
  title: (target: string) => `${target} was moved`,
  from: (target: string, from: string, to: string) => `${target} was at ${from} and is now at ${to}.`,
  deleted: (target: string, from: string) => `${target} was at ${from} and was deleted.`,
  created: (target: string, to: string) => `${target} did not exist and is now at ${to}.`,
  why: (agents: string) =>
    `aiswarm did not move it. These agents were running, or had just exited: ${agents}. One of them, you or another program may have moved it.`,
  since: (at: string) => `Noticed at ${at}.`,
  problem: 'Not put back',
  commits: 'Commits',
  more: (n: number) => `… and ${n} more`,
  diff: 'Changes',
  noDiff: 'Both commits have the same files.',
  tooLong: 'The diff is too long to show here. Use git diff.',
  answer: (accept: string, putBack: string) => `${accept} accept the move   ${putBack} put it back   esc back`,
  didAccept: 'accepted',
  accepted: (target: string, at: string) => `${target} is accepted at ${at}.`,
  didPutBack: 'put back',
  putBack: (target: string, at: string) =>
    `${target} is put back to ${at}; the other commits are kept in refs/aiswarm/archive.`,
  gone: 'This move no longer needs an answer. Press esc to go back.',
  putBackAsks: (target: string, from: string, to: string) => `Moves ${target} from ${from} back to ${to}.`,
  archives: (target: string) => `First keeps the commits of the move at refs/aiswarm/archive/target.${target}/…`,
  follows: 'Updates a clean checkout of the branch. If the checkout has changes, nothing is moved.',
  stale: 'Ready integrations are merged and verified again on that commit.',
} as const

/** The files of the main checkout. */
export const checkoutText = {
  title: 'The main checkout has changed',
  why: (agents: string) =>
    `Noticed when a run ended. These agents were running in their own worktrees: ${agents}. One of them or you may have made the changes; aiswarm cannot tell.`,
  files: 'Files',
  hint: "'git status' and 'git diff' in the main checkout show more. Accepting changes no file. To turn this check off, set integration.watchCheckout: false.",
  answer: (accept: string) => `${accept} accept these changes   esc back`,
  did: 'accepted',
  accepted: 'The changes in the main checkout are accepted.',
  gone: 'The main checkout has no unaccepted changes any more.',
} as const
