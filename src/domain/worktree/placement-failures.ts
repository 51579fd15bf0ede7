import { elapsed, type Instant } from '../words/time.ts'
import type { FolderState } from './worktree.ts'

// Hosts that could not build a worktree. Each is left out for a while when a host is chosen for it again.

/** A host that could not build the worktree that should continue another one. */
interface NotContinued {
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

/** The list without a host, when that is tried again. */
export const withoutHost = (list: readonly NotContinued[], host: string): readonly NotContinued[] =>
  list.filter((one) => one.host !== host)

/** True if a worktree is not built and is not tried now: its host has failed, and another one or a later time is looked for. */
export const restsUnbuilt = (worktree: {
  readonly folder: FolderState
  readonly host_id: string
  readonly not_continued: string
}): boolean =>
  worktree.folder === 'building' && notContinuedIn(worktree.not_continued).some(({ host }) => host === worktree.host_id)

/** Why it is not built yet: what each host said that has tried. */
export const whyNotBuilt = (list: readonly NotContinued[]): string =>
  `${list.map(({ name, why }) => `host ${name} could not build it: ${why.replace(/\.$/, '')}`).join('; ')}; another host is tried, or the same one after ${REST / 60_000} minutes`

/** Why nothing continues it; undefined if no host has failed. */
export const whyNotContinued = (list: readonly NotContinued[]): string | undefined =>
  list.length === 0
    ? undefined
    : list.map(({ name, why }) => `host ${name} could not continue it: ${why.replace(/\.$/, '')}`).join('; ')
