import { commonText } from './common.ts'

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
