import { dismissGuide } from './comfort/guiding.ts'
import { showTab } from './memory/movement.ts'
import type { ConsoleState, Overlay, Transition } from './state.ts'
import { looking } from './state.ts'

// What lies over the panes comes and goes.

/** Opens over what is there now, to which closing it returns. What was told before is not about it. */
export const open = (overlay: Overlay): Transition =>
  looking((view) => ({ overlay: { ...overlay, behind: view.overlay }, notice: { ...view.notice, text: '' as typeof view.notice.text } }))

/** Takes the place of what is there now. */
export const replace = (overlay: Overlay): Transition => looking((view) => ({ overlay: { ...overlay, behind: view.overlay?.behind ?? null } }))

export const close: Transition = looking((view) => ({ overlay: view.overlay?.behind ?? null }))

export const closeAll: Transition = looking(() => ({ overlay: null }))

/** Esc: one step back. On the panes themselves it takes the filter away, then the notice. */
export const back: Transition = (state: ConsoleState) => {
  if (state.view.overlay?.kind === 'filter') return looking(({ task }) => ({ overlay: null, filter: '', around: task ?? 1, jump: null }))(state)
  if (state.view.overlay?.kind === 'memory' && state.view.overlay.words !== '') return showTab(state.view.overlay.tab)(state)
  if (state.view.overlay) return close(state)
  return looking((view) => ({ filter: '', notice: { ...view.notice, text: '' as typeof view.notice.text } }))(dismissGuide(state))
}
