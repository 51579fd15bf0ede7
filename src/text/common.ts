import { countOf } from '../domain/words/counts.ts'

// This layer holds the English of the console: one catalogue per part, words as constants and sentences with values as
// functions. The text is plain technical English; test/words.test.ts lists the terms. Inserted values must be made safe by
// the caller. Refusals and the reasons of states are in domain, beside their rules.

const counted =
  (noun: string) =>
  (n: number): string =>
    countOf(n, noun)

/** Nouns with their number. */
export const counts = {
  agents: counted('agent'),
  attempts: counted('attempt'),
  blockers: counted('blocker'),
  claims: counted('claim'),
  comments: counted('comment'),
  commits: counted('commit'),
  completedTasks: counted('completed task'),
  days: counted('day'),
  decisions: counted('decision'),
  files: counted('file'),
  hours: counted('hour'),
  keyFacts: counted('key fact'),
  lines: counted('line'),
  minutes: counted('minute'),
  observations: counted('observation'),
  openBlockers: counted('open blocker'),
  paths: counted('path'),
  processes: (n: number): string => (n === 1 ? '1 process' : `${n} processes`),
  tasks: counted('task'),
} as const

/** Words that several catalogues share. */
export const commonText = {
  back: 'esc back',
  reading: 'reading…',
  itIsBeingRead: 'Reading…',
  worktreeGone: 'The worktree is gone.',
  itsTarget: 'its target',
  underWay: 'in progress',
  endedBySignal: 'killed by a signal',
  unknown: 'unknown',
  nothingToSave: 'Nothing to save yet.',
  ago: (at: string, since: string) => `${at}, ${since} ago`,
  more: (n: number) => `… and ${n} more`,
  charactersMore: (n: number) => `… and ${n} more characters`,
  partOf: (some: number | string, all: number | string) => `${some} of ${all}`,
} as const

export const nothingToFold = 'Nothing to fold here.'
