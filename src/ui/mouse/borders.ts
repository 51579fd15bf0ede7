import { borderAt, pulledTo, withBorders } from '../panes/arrangement.ts'
import { changingView, type Transition } from '../core/state.ts'
import type { MouseEvent } from '../terminal/mouse.ts'

// The mouse pulls the borders between panes.

/** A press takes hold of the border under it, unless a view is over the panes. */
export const holding =
  ({ column, row }: MouseEvent): Transition =>
  (state) => {
    const { zoomed } = state.preferences.arrangement
    const border = state.view.overlay || zoomed ? undefined : borderAt(state, column, row)
    return changingView(() => ({ held: border ?? null }))(state)
  }

/** A movement pulls the held border, until the button is released. */
export const held =
  ({ kind, column, row }: MouseEvent): Transition =>
  (state) => {
    const { held: border } = state.view
    if (border === null) return state
    if (kind === 'release' || state.view.overlay) return changingView(() => ({ held: null }))(state)
    return withBorders(state, pulledTo(state, border, column, row))
  }
