import { dismissGuide } from './reducers.ts'
import { viewOf } from './front.ts'
import type { ConsoleState, Overlay, Transition } from './state.ts'
import { changingView } from './state.ts'

// Opens and closes overlays over the panes.

/** Opens an overlay over the present one, to which closing it returns. Removes the previous notice. */
export const open = (overlay: Overlay): Transition =>
  changingView((view) => ({
    overlay: { ...overlay, behind: view.overlay },
    notice: { ...view.notice, text: '' as typeof view.notice.text },
  }))

/** Replaces the present overlay. */
export const replace = (overlay: Overlay): Transition =>
  changingView((view) => ({ overlay: { ...overlay, behind: view.overlay?.behind ?? null } }))

export const close: Transition = changingView((view) => ({ overlay: view.overlay?.behind ?? null }))

export const closeAll: Transition = changingView(() => ({ overlay: null }))

/** Esc: one step back, or the front view's own step. On the panes it removes the filter, then the notice. */
export const back: Transition = (state: ConsoleState) => {
  const { overlay } = state.view
  if (overlay) return viewOf(state, overlay).back?.(state, overlay) ?? close(state)
  return changingView((view) => ({ filter: '', notice: { ...view.notice, text: '' as typeof view.notice.text } }))(
    dismissGuide(state),
  )
}
