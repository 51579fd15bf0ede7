import type { EventView } from '../../../operations/views/events.ts'
import type { NamedTask } from '../../../operations/screens/related-tasks.ts'

// The session at any moment, from its event log.

export interface PastContents {
  readonly events: readonly EventView[]
  /** True if all events are loaded; otherwise only the newest were read, or more are being read. */
  readonly whole: boolean
  readonly reading: boolean
  readonly names: Readonly<Record<number, NamedTask>>
}

/** The pane that keys scroll, which is the only one on a small terminal. */
export const pastPanes = ['board', 'agents', 'worktrees'] as const
export type PastPane = (typeof pastPanes)[number]

export interface PastOverlay {
  readonly kind: 'past'
  /** The number of past events; Infinity (the present) until they were read for the first time. */
  readonly at: number
  readonly playing: boolean
  /** Steps taken before the events were read. */
  readonly wish?: number
  /** The first visible task. */
  readonly row: number
  readonly pane: PastPane
  /** The first visible agent or worktree, in the pane that keys scroll. */
  readonly below: number
}

export const fromNow: PastOverlay = { kind: 'past', at: Infinity, playing: false, row: 0, pane: 'board', below: 0 }

export const noPast: PastContents = { events: [], whole: false, reading: true, names: {} }
