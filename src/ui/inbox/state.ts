import type { Instant } from '../../domain/time.ts'
import type { Attention } from '../../operations/read-board.ts'

/** The list of all that waits for a person, over the panes. */
export interface InboxOverlay {
  readonly kind: 'inbox'
  /** Where the cursor is, as `waitingPlace` says it: it keeps its place while things come and go. Null is the first. */
  readonly at: string | null
  /** When the cursor came to what it is on: an answer at the same moment was not meant for it. */
  readonly since: Instant
  /** Places of what is to be answered together. */
  readonly marked: readonly string[]
  /** The first item that is seen. */
  readonly top: number
}

/** What was answered from this console: its receipt stands where it waited until it was confirmed, and a while longer. */
export interface Settled {
  readonly item: Attention
  /** In a word, such as `allowed`. */
  readonly did: string
  readonly at: Instant
  /** What the operation said when it was done; null while it is under way. */
  readonly said: string | null
}

/** How soon (ms) after the cursor has come to something an answer to it counts: before, nobody can have read it. */
export const HASTE = 250
