import type { Controller } from '../core/controller.ts'
import type { ConsoleState, Mode } from '../core/state.ts'
import type { Stroke } from './strokes.ts'
import type { KeyId } from '../../text/keys.ts'

export type { KeyId }

/** How a view is used. It decides which of the shared keys (src/ui/actions/shared-keys.ts) the view takes. */
export const manners = ['reading', 'playing', 'choosing', 'asking', 'typing'] as const
export type Manner = (typeof manners)[number]

/**
 * A key. Dispatch, footer, help, palette and docs/console.md are generated from these rows. `blocked` returns the
 * sentence why it is unavailable.
 */
export interface KeyRow {
  readonly id: string
  readonly keys: readonly Stroke[]
  /** The notation of the keys on the screen. */
  readonly shown: string
  /** A word for the footer, and a sentence for the help: both from src/text/keys.ts. */
  readonly label: string
  readonly help: string
  /** Another word for the footer, if the key has another effect on the selection. */
  readonly labelNow?: (state: ConsoleState) => string | undefined
  readonly modes: readonly Mode[]
  /** True if it is shown in the footer of its modes. */
  readonly footer?: true
  /** True if it acts at once without a question: the strict mode requires the leader key before it. */
  readonly acts?: true
  /** True if it answers a question permanently: its key cannot be changed, and no click presses it. */
  readonly answers?: true
  readonly blocked?: (state: ConsoleState) => string | undefined
  /** True if it writes to the board, at once or after a question or a form: unavailable while the board takes no writes. */
  readonly writes?: true
  /** True while its view stays what it is, so that it cannot become available: the footer leaves it out. */
  readonly absent?: (state: ConsoleState) => boolean
  /** `stroke`: the pressed key; a click and the palette pass none. */
  readonly press: (controller: Controller, stroke?: Stroke) => void
}

/**
 * A row as it is written: its words are in src/text/keys.ts or in the row itself, and its modes follow from its place.
 */
export type BareRow = Omit<KeyRow, 'id' | 'label' | 'help' | 'modes'> &
  ({ readonly id: KeyId } | Pick<KeyRow, 'id' | 'label' | 'help'>)

/** A row that views share: it works in views of these manners, and on the panes unless stated otherwise. */
export type SharedRow = BareRow & { readonly manners: readonly Manner[]; readonly panes?: false }
