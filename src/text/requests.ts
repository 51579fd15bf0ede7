import { commonText } from './common.ts'

/** What an agent asks, and how it is answered. */
export const requestText = {
  titles: { permission: 'asks for permission', question: 'asks you', denial: 'was not allowed something' },
  facts: { agent: 'agent', task: 'task', tool: 'tool', asked: 'asked', expires: 'expires', allows: 'a allows', told: 'told' },
  expires: (after: string, isQuestion: boolean) => `in ${after}; then ${isQuestion ? 'the agent decides by itself' : 'it counts as denied'}`,
  question: 'Question',
  about: 'What it is about',
  change: 'Change',
  passed: 'Passed with it',
} as const

/** How a request ended. */
export const requestOutcomes = {
  allowed: 'allowed',
  denied: 'denied',
  answered: 'answered',
  expired: 'nobody answered in time: denied',
  withdrawn: 'withdrawn: its attempt is over',
} as const

export const expiredQuestion = 'nobody answered in time: the agent decides by itself'

/** What the keys do now. */
export const requestAnswers = {
  over: `it is over   ${commonText.back}`,
  ended: (outcome: string) => `${outcome}   ${commonText.back}`,
  question: (key: string) => `${key} answers   n leaves it to the agent   ${commonText.back}`,
  choice: (key: string, options: number) => `${options === 1 ? '1' : `1–${options}`} answers   ${key} answers in words   n leaves it to the agent   ${commonText.back}`,
  always: (rule: string) => `   a always: ${rule}`,
  denial: (always: string) => `n leaves it${always}   ${commonText.back}`,
  permission: (always: string) => `y allows it once   n denies${always}   ${commonText.back}`,
} as const

export const requestRefusals = {
  noOptions: 'There are no answers with numbers here.',
  noOption: (options: number) => (options === 1 ? 'There is only the answer 1.' : `There are only the answers 1 to ${options}.`),
  over: 'The request is over; esc goes back.',
  hasGoneOn: 'It was denied by the CLI and has gone on; a allows it from now on.',
  noRuleForDenial: 'No rule can describe this; n leaves it as it is.',
  noRule: 'No rule can describe this; allow it once, or deny it.',
} as const

/** What was answered: `did` in a word for the list of what waits, the others as sentences. */
export const answerReceipts = {
  did: { allow: 'allowed', always: 'always allowed', deny: 'denied', leave: 'left', leaveToAgent: 'left to it' },
  allowed: (agent: string, tool: string | null) => `${agent} may use ${tool} this once.`,
  allowedAlways: (rule: string | null, persona: string) => `${rule} is allowed for ${persona} from now on; it stands in .aiswarm/config.yaml.`,
  denied: (agent: string, tool: string | null) => `${agent} may not use ${tool}.`,
  left: 'Left as it was.',
  decidesItself: (agent: string | null) => `${agent} decides by itself.`,
  /** What the agent is told that asked. */
  toldToDecide: 'The person does not want to decide this: decide by yourself, or fail the task.',
} as const

/** What git, or aiswarm itself, obeys in the repository, and has changed. */
export const guardText = {
  title: 'The configuration of the repository has changed',
  since: (at: string) => `Seen first at ${at}. Nothing is integrated until you accept it, or it is put back.`,
  why: 'An agent may have done it: git would run the programs that are named here.',
  whyOwn:
    "An agent may have done it: aiswarm would run the commands that are named here, and allow what the rules allow. Until you accept it, aiswarm's configuration counts as it was; hooks and rules count at once when you have, the rest with the next start.",
  changes: 'Changes',
  answer: 'y accepts exactly these lines   esc leaves it',
  unchanged: "The repository's configuration is the one that you trust.",
  did: 'accepted',
  isAccepted: 'The configuration is accepted; integrations go on.',
} as const

/** The git commands that aiswarm ran. */
export const gitText = {
  title: (n: number) => `git commands (${n})`,
  none: 'None was run yet.',
  ended: 'ended',
  exit: (code: number) => `exit ${code}`,
} as const
