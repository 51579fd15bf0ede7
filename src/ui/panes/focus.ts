import { shownPanes } from '../core/layout.ts'
import { changingView, type Pane, type Transition } from '../core/state.ts'
import { showPane } from './arrangement.ts'

export const focus =
  (pane: Pane): Transition =>
  (state) =>
    changingView((view) => ({ pane, about: pane === 'log' ? view.about : pane }))(showPane(pane)(state))

export const focusNext =
  (by: 1 | -1): Transition =>
  (state) => {
    const shown = shownPanes(state.preferences.arrangement, state.view.pane)
    return focus(shown[(shown.indexOf(state.view.pane) + by + shown.length) % shown.length]!)(state)
  }
