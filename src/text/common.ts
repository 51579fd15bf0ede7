import { countOf } from '../domain/series.ts'

// The English of the console lies in this layer: one catalogue for each of its parts, words as they are and sentences with
// values as functions. Nothing is looked up at run time by its wording, and nothing is translated: whoever reads all that
// the console says reads these files, and whoever changes a word changes it here. What is inserted comes as text that was
// made safe where that is needed. Refusals and the reasons of states stand in domain, beside the rule that gives them.

const counted =
  (noun: string) =>
  (n: number): string =>
    countOf(n, noun)

/** Nouns with their number. */
export const counts = {
  agents: counted('agent'),
  attempts: counted('attempt'),
  blockers: counted('blocker'),
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

/** What is said in several parts in the same words. */
export const commonText = {
  back: 'esc back',
  reading: 'reading…',
  itIsBeingRead: 'It is being read…',
  worktreeGone: 'The worktree is gone.',
  itsTarget: 'its target',
  underWay: 'under way',
  endedBySignal: 'ended by a signal',
  unknown: 'unknown',
  nothingToSave: 'There is nothing to save yet.',
  ago: (at: string, since: string) => `${at}, ${since} ago`,
  more: (n: number) => `… and ${n} more`,
  charactersMore: (n: number) => `… and ${n} characters more`,
  partOf: (some: number | string, all: number | string) => `${some} of ${all}`,
} as const
