import type { Instant } from '../../../domain/words/time.ts'
import type { Attention } from '../../../operations/screens/attention.ts'

/** The list of all inbox items, over the panes. */
export interface InboxOverlay {
  readonly kind: 'inbox'
  /** The cursor as a `waitingPlace`, which keeps its place while items come and go. Null is the first. */
  readonly at: string | null
  /** When the cursor reached its item: an answer at the same moment was meant for another one. */
  readonly since: Instant
  /** Places of the items to be answered together. */
  readonly marked: readonly string[]
  /** The first visible item. */
  readonly top: number
}

/** An item answered from this console: its receipt stays in its place until it is confirmed, and a while longer. */
export interface Settled {
  readonly item: Attention
  /** The answer in one word, such as `allowed`. */
  readonly did: string
  readonly at: Instant
  /** The message of the operation; null while it is running. */
  readonly said: string | null
}

/** An answer sooner after the cursor reached its item (ms) is ignored, because the person cannot have read it. */
export const HASTE = 250
