import type { Pane } from '../state.ts'
import type { Stroke } from '../strokes.ts'
import type { ThemeChoice } from './theme.ts'

/** Which panes are seen, and how large. It is kept from one console of a project to the next. */
export interface Arrangement {
  /** Only the pane that has the focus. */
  readonly zoomed: boolean
  readonly hidden: readonly Pane[]
  /** Steps by which the left column is wider than the layout makes it. */
  readonly wider: number
  /** Steps by which a pane is taller. */
  readonly taller: Readonly<Partial<Record<Pane, number>>>
}

/** Keys that the configuration gives to rows of keys.ts, by the row's id. */
export type Bindings = Readonly<Record<string, { readonly keys: readonly Stroke[]; readonly shown: string }>>

/** How a person likes the console, as far as it is no fact of the project. */
export interface Comfort {
  readonly theme: ThemeChoice
  readonly bindings: Bindings
  readonly arrangement: Arrangement
  /** The pane that was hidden last, and where the focus went then. */
  readonly hid: { readonly pane: Pane; readonly to: Pane } | null
  /** Keys that act want the leader key before them. */
  readonly strict: boolean
  /** The leader key was pressed. */
  readonly led: boolean
  /** A screen reader reads: sentences instead of panes. */
  readonly spoken: boolean
  /** Whoever sits here needs no guidance any more. */
  readonly guided: boolean
  /** No program of an agent was found, and none is configured: only tasks with a command of their own can start. */
  readonly agentless: boolean
}

export const plainArrangement: Arrangement = { zoomed: false, hidden: [], wider: 0, taller: {} }

export const plainComfort: Comfort = {
  theme: { wish: 'auto', background: undefined, colourless: false },
  bindings: {},
  arrangement: plainArrangement,
  hid: null,
  strict: false,
  led: false,
  spoken: false,
  guided: false,
  agentless: false,
}
