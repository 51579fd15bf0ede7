import type { AgentView } from '../../operations/views/agents.ts'
import { paneText } from '../../text/panes.ts'
import { foldedAgents } from '../core/folded-agents.ts'
import { agentAtHand } from '../core/selection.ts'
import { changingView, type ConsoleState, type Transition } from '../core/state.ts'

// The marks of agents that get a message together.

export const whyNotMark = (state: ConsoleState): string | undefined =>
  state.view.about !== 'agents' || !isReached(agentAtHand(state)) ? paneText.noAgentToMark : undefined

/** Marks the selected agent; pressed again unmarks it. */
export const mark: Transition = (state) => {
  const id = agentAtHand(state)!.id
  return changingView(({ marked }) => ({
    marked: marked.includes(id) ? marked.filter((one) => one !== id) : [...marked, id],
  }))(state)
}

/** The marked agents that have not ended. */
export const markedAgents = ({ view, board }: Pick<ConsoleState, 'view' | 'board'>): readonly string[] =>
  view.marked.filter((id) => isReached(board.agents.find((agent) => agent.id === id)))

const isReached = (agent: AgentView | undefined): boolean => agent !== undefined && agent.status !== 'terminated'

export const whyNotUnfold = (state: ConsoleState): string | undefined =>
  state.view.unfolded || foldedAgents(state).folded > 0 ? undefined : paneText.noneEnded

/** Shows ended agents in a row each, or folds them into one line. */
export const unfold: Transition = changingView(({ unfolded }) => ({ unfolded: !unfolded }))
