import type { AgentView } from '../../../operations/views/agents.ts'
import { agentAtHand } from '../../core/selection.ts'
import { changingView, type ConsoleState, type Transition } from '../../core/state.ts'
import { paneText } from '../../../text/panes.ts'

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
