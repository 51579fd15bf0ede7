import type { Instant } from '../words/time.ts'

// The inbox, which is everything that waits for a person: the kinds of items and their order.

export const attentionKinds = [
  'configuration',
  'moved',
  'permission',
  'question',
  'budget',
  'command',
  'unstartable',
  'stalled',
  'approve',
  'conflict',
  'unverified',
  'failed',
  'returned',
  'denial',
  'mail',
  'checkout',
] as const
export type AttentionKind = (typeof attentionKinds)[number]

/** A lower number comes first. An agent that asks is blocked until it is answered; a finally failed task can wait. */
const urgency: Record<AttentionKind, number> = {
  configuration: 0,
  moved: 0,
  permission: 1,
  question: 1,
  budget: 2,
  command: 3,
  unstartable: 4,
  stalled: 4,
  approve: 5,
  conflict: 6,
  unverified: 6,
  failed: 7,
  returned: 7,
  denial: 8,
  mail: 8,
  // Most often it is the person's own work.
  checkout: 9,
}

export interface Waiting {
  readonly kind: AttentionKind
  readonly taskId: number | null
  readonly worktree: string | null
  readonly agentId: string | null
  readonly requestId: number | null
  /** The branch that was moved. */
  readonly target?: string | undefined
  /** The host that is back. */
  readonly host?: string | undefined
  readonly since: Instant
}

/** The identity of an item, which stays the same while others come and go. */
export const waitingName = ({ kind, requestId, worktree, taskId, agentId, target, host }: Waiting): string =>
  requestId === null
    ? `${kind} ${host ?? target ?? worktree ?? taskId ?? agentId ?? ''}`.trimEnd()
    : `request ${requestId}`

/** The sort key of an item: such texts compare as the items do, also after an item is gone. */
export const waitingPlace = (item: Waiting): string => `${urgency[item.kind]} ${item.since} ${waitingName(item)}`

/** The most urgent first, of those the oldest. */
export const byUrgency = <T extends Waiting>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, place: waitingPlace(item) }))
    .sort((a, b) => (a.place < b.place ? -1 : a.place > b.place ? 1 : 0))
    .map(({ item }) => item)

/** The item after a place, even if there is no item at that place any more; after the last comes the first. */
export const nextBehind = <T extends Waiting>(items: readonly T[], place: string | null): T | undefined => {
  const ordered = byUrgency(items)
  return (place === null ? undefined : ordered.find((item) => waitingPlace(item) > place)) ?? ordered[0]
}
