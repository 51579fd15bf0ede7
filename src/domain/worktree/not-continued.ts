import { elapsed, type Instant } from '../words/time.ts'

/** A host that could not build the worktree that should continue another one. */
export interface NotContinued {
  /** The id of the host. */
  readonly host: string
  /** Its name. */
  readonly name: string
  readonly at: Instant
  readonly why: string
}

/** How long such a host is left out when the worktree is continued (ms): a person may have to do something there. */
const REST = 600_000

export const notContinuedIn = (text: string): readonly NotContinued[] => JSON.parse(text) as readonly NotContinued[]

/** The list with another failure, in which each host is once. */
export const withFailure = (list: readonly NotContinued[], failure: NotContinued): readonly NotContinued[] => [
  ...list.filter(({ host }) => host !== failure.host),
  failure,
]

/** True if the host is left out now. */
export const isLeftOut = (list: readonly NotContinued[], host: string, now: Instant): boolean =>
  list.some((one) => one.host === host && elapsed(one.at, now) < REST)

/** Why nothing continues it; undefined if no host has failed. */
export const whyNotContinued = (list: readonly NotContinued[]): string | undefined =>
  list.length === 0
    ? undefined
    : list.map(({ name, why }) => `host ${name} could not continue it: ${why.replace(/\.$/, '')}`).join('; ')
