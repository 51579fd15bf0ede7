import { elapsed, type Instant } from '../words/time.ts'

/** The first host of a board, and the only one of a board in a database file: the main checkout is there. */
export const LOCAL = 'local'

/**
 * up: takes work. draining: finishes what it has. lost: a person or the leader has given it up, and nothing that it still
 * writes counts. gone: it has left.
 */
export const hostStates = ['up', 'draining', 'lost', 'gone'] as const
export type HostState = (typeof hostStates)[number]

/** The questions that a host answers others: each only reads, and names its subject by an id, never by a path. */
export const hostVerbs = [
  'read_output',
  'read_raw_output',
  'inspect_agent',
  'read_verification',
  'census',
  'worktree_contents',
  'present_worktree',
  'present_file',
  'read_conversation',
  'find_in_conversation',
] as const
export type HostVerb = (typeof hostVerbs)[number]

/** The stop reason of agents that were on a host when it was declared lost. */
export const LOST = 'its host was declared lost'

/** The stop reason of agents that the board had when it was restored to an earlier time: what they did since is not known. */
export const RESTORED = 'the board was restored to an earlier time'

/** Since when a host is silent for more than `after` ms; undefined if it is not, or if that says nothing about it. */
export const silentSince = (
  host: { readonly state: HostState; readonly beatAt: Instant | null },
  now: Instant,
  after: number,
): Instant | undefined =>
  (host.state === 'up' || host.state === 'draining') && host.beatAt !== null && elapsed(host.beatAt, now) > after
    ? host.beatAt
    : undefined

/** How long commits of a host may be missing on the git remote before it counts as one that cannot push (ms). */
const UNPUSHED = 600_000

/** Since when a host cannot push, if that is long ago: then it gets no new worktrees. */
export const unpushedSince = (since: Instant | null, now: Instant): Instant | null =>
  since !== null && elapsed(since, now) > UNPUSHED ? since : null

/** True if `one` is a newer version than `other`, both as `1.12.3`; false if either is none. What follows a hyphen counts for nothing. */
export const isNewer = (one: string, other: string): boolean => {
  const [a, b] = [numbersOf(one), numbersOf(other)]
  if (a === undefined || b === undefined) return false
  const at = a.findIndex((number, index) => number !== b[index])
  return at !== -1 && a[at]! > b[at]!
}

const numbersOf = (version: string): readonly number[] | undefined =>
  /^(\d+)\.(\d+)\.(\d+)(?:[-+]|$)/.exec(version)?.slice(1).map(Number)
