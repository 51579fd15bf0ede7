import type { EventView } from '../../operations/kernel/event-view.ts'
import type { NamedTask } from '../../operations/name-tasks.ts'

// The session as it was at any moment, from its event log.

export interface PastContents {
  readonly events: readonly EventView[]
  /** Everything is here; else only the newest were read, or they still are being read. */
  readonly whole: boolean
  readonly reading: boolean
  readonly names: Readonly<Record<number, NamedTask>>
}

/** What of the moment the keys scroll, and what a terminal shows that has no room for all of it. */
export const pastPanes = ['board', 'agents', 'worktrees'] as const
export type PastPane = (typeof pastPanes)[number]

export interface PastOverlay {
  readonly kind: 'past'
  /** How many of the events have happened; Infinity until they were read for the first time: now. */
  readonly at: number
  readonly playing: boolean
  /** Steps that were taken before the events were read. */
  readonly wish?: number
  /** The first task that is seen. */
  readonly row: number
  readonly pane: PastPane
  /** The first agent or worktree that is seen, of the pane that the keys scroll. */
  readonly below: number
}

export const fromNow: PastOverlay = { kind: 'past', at: Infinity, playing: false, row: 0, pane: 'board', below: 0 }

export const noPast: PastContents = { events: [], whole: false, reading: true, names: {} }
