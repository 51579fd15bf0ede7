import type { Pane } from './panes.ts'
import type { Stroke } from '../keys/strokes.ts'
import type { ThemeChoice } from './theme.ts'

/** The visible panes and their sizes, saved from one console of a project to the next. */
export interface Arrangement {
  /** True if only the focused pane is shown. */
  readonly zoomed: boolean
  readonly hidden: readonly Pane[]
  /** The borders that the person has moved, by the layout: a large screen is not arranged as a small one. */
  readonly borders: Readonly<Partial<Record<MovableLayout, Borders>>>
}

export type MovableLayout = 'wide' | 'narrow'

export interface Borders {
  /** Columns of the left column. */
  readonly left?: number
  /** Lines of panes below a moved border. */
  readonly heights: Readonly<Partial<Record<Pane, number>>>
}

/** The configured keys of rows, by the row's id. */
export type Bindings = Readonly<Record<string, { readonly keys: readonly Stroke[]; readonly shown: string }>>

/** A person's preferences for the console, as opposed to facts about the project. */
export interface Preferences {
  readonly theme: ThemeChoice
  readonly bindings: Bindings
  readonly arrangement: Arrangement
  /** The pane that was hidden last, and the pane that got the focus then. */
  readonly hid: { readonly pane: Pane; readonly to: Pane } | null
  /** True if keys that act require the leader key first. */
  readonly strict: boolean
  /** True if the leader key was pressed. */
  readonly led: boolean
  /** True for a screen reader: sentences instead of panes. */
  readonly spoken: boolean
  /** True if the guide was dismissed. */
  readonly guided: boolean
  /** True if no agent program was found and none is configured: only tasks with a command can start. */
  readonly agentless: boolean
}

export const plainArrangement: Arrangement = { zoomed: false, hidden: [], borders: {} }

export const plainPreferences: Preferences = {
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
