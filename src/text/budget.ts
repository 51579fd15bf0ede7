import { commonText } from './common.ts'

/** What is asked when a budget is used up, and what became of it. */
export const budgetText = {
  nobodyAsked: 'Nobody is asked about this budget any more; esc goes back.',
  theSession: 'the session',
  theTask: (id: number) => `task ${id}`,
  did: { raise: 'raised', none: 'lifted', stop: 'stopped' },
  raised: (what: string, limit: string) => `The budget of ${what} is ${limit} now; it goes on.`,
  lifted: (what: string) => `${what[0]!.toUpperCase()}${what.slice(1)} goes on without a limit.`,
  stopped: 'Nothing more starts by itself; what runs goes on. {pause} resumes.',
} as const

/** All that a person needs to know to say whether it goes on. */
export const budgetSheetText = {
  title: (task: number | null) => `${task === null ? 'The session' : `Task ${task}`} has used up its budget`,
  cost: 'What it has cost',
  facts: { used: 'used', budget: 'budget', soFar: 'so far', task: 'task', agent: 'agent', asked: 'asked' },
  paused: ', paused',
  attempts: 'Attempts',
  answers: 'Answers',
  raise: 'y raises the budget by as much as it was at first, until it is enough again.',
  lift: 'a takes the limit away.',
  stop: (task: number | null) => (task === null ? 'x starts nothing more; what runs goes on.' : 'x cancels the task and stops its agent; you are asked once more.'),
  keys: 'y raises it   a no limit   x stops   esc leaves it',
  isAnswered: `it is answered   ${commonText.back}`,
} as const
