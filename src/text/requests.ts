import { commonText } from './common.ts'

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

/** The git commands that aiswarm ran. */
export const gitText = {
  title: (n: number) => `git commands (${n})`,
  none: 'No git commands yet.',
  ended: 'ended',
  exit: (code: number) => `exit ${code}`,
} as const
