import { dismissGuide } from './reducers.ts'
import { viewOf } from './front.ts'
import type { ConsoleState, Home, Overlay, Transition } from './state.ts'
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

export const close: Transition = changingView(({ overlay }) => ({ overlay: overlay?.behind ?? null, ...overlay?.home }))

export const closeAll: Transition = changingView(({ overlay }) => ({ overlay: null, ...homeOf(overlay) }))

/** An overlay opened by `opening` from the panes returns there, to where the person was, whatever row it selects. */
export const returning =
  (opening: Transition): Transition =>
  (state) => {
    const { overlay, pane, about } = state.view
    const opened = opening(state)
    return overlay !== null || opened.view.overlay === null
      ? opened
      : changingView((view) => ({ overlay: view.overlay && { ...view.overlay, home: { pane, about } } }))(opened)
  }

/** Closes what was opened over the nearest view to which an answer returns; without one, everything. */
export const closeOver: Transition = (state) => {
  const under = (overlay: Overlay | null | undefined): Overlay | null =>
    !overlay ? null : viewOf(state, overlay).hosts ? overlay : under(overlay.behind)
  const host = under(state.view.overlay)
  return host === null ? closeAll(state) : changingView(() => ({ overlay: host }))(state)
}

const homeOf = (overlay: Overlay | null | undefined): Home | undefined =>
  !overlay ? undefined : (homeOf(overlay.behind) ?? overlay.home)

/** Esc: one step back, or the front view's own step. On the panes it removes the filter, the marks and the notice. */
export const back: Transition = (state: ConsoleState) => {
  const { overlay } = state.view
  if (overlay) return viewOf(state, overlay).back?.(state, overlay) ?? close(state)
  return changingView((view) => ({
    filter: '',
    marked: [],
    notice: { ...view.notice, text: '' as typeof view.notice.text },
  }))(dismissGuide(state))
}
