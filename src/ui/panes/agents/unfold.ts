import { paneText } from '../../../text/panes.ts'
import { foldedAgents } from '../../core/folded-agents.ts'
import { changingView, type ConsoleState, type Transition } from '../../core/state.ts'

export const whyNotUnfold = (state: ConsoleState): string | undefined =>
  state.view.unfolded || foldedAgents(state).folded > 0 ? undefined : paneText.noneEnded

/** Shows ended agents in a row each, or folds them into one line. */
export const unfold: Transition = changingView(({ unfolded }) => ({ unfolded: !unfolded }))
