import { frontOf, stayingIn, viewOf } from '../core/overlays.ts'
import { move } from '../panes/movement.ts'
import { type ConsoleState, changingView, type Overlay, type Transition } from '../core/state.ts'

// Mouse events on a view over the panes: a click selects a row or a field, and never does what enter does.

/** `line` and `column` count from the upper left corner of the front view: clicks above it are ignored. */
export const clickOver = (line: number, column: number): Transition =>
  onSeen(Math.max(0, line), (state) => {
    const { overlay } = state.view
    return !overlay || line < 1
      ? state
      : (viewOf(state, overlay).click?.(state, overlay, line - 1, column - 1) ?? state)
  })

/** Handles the wheel. */
export const turnOver = (by: number, line: number): Transition =>
  onSeen(line, (state) => {
    const { overlay } = state.view
    const wheel = overlay === null ? undefined : viewOf(state, overlay).wheel
    return overlay && wheel ? wheel(state, overlay, by, line) : move(by)(state)
  })

/** Changes the view under the mouse, wherever in the stack it is. */
const onSeen =
  (line: number, transition: Transition): Transition =>
  (state) => {
    const { overlay } = state.view
    const seen = seenAt(state, line)
    if (!overlay || !seen) return state
    const changed = transition(changingView(() => ({ overlay: seen }))(state))
    return changingView((view) => ({ overlay: view.overlay && inPlaceOf(seen, view.overlay, overlay) }))(changed)
  }

/** The review stays visible above a question about it; the panes do not. */
const seenAt = (state: ConsoleState, line: number): Overlay | null => {
  const front = frontOf(state, state.view.overlay)
  return line < 0 ? (stayingIn(state, front) ?? null) : front
}

const inPlaceOf = (old: Overlay, by: Overlay, overlay: Overlay): Overlay =>
  overlay === old || !overlay.behind ? by : { ...overlay, behind: inPlaceOf(old, by, overlay.behind) }
