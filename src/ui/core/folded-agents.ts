import type { AgentView } from '../../operations/views/agents.ts'
import type { ConsoleState } from './state.ts'

// Ended agents fold into one line, so that those that work have the room.

interface FoldedAgents {
  readonly shown: readonly AgentView[]
  /** The number of ended agents in the one line; 0 without it. */
  readonly folded: number
}

/** An ended agent stays if it left a problem, or while it is selected. One alone takes no more room than the line. */
export const foldedAgents = ({ board, view }: Pick<ConsoleState, 'board' | 'view'>): FoldedAgents => {
  const known = last.get(board.agents)
  const { agent, unfolded } = view
  const { endedAgents: ended } = board
  if (known?.agent === agent && known.unfolded === unfolded && known.ended === ended) return known.agents
  const agents = folding(board, view)
  last.set(board.agents, { agent, unfolded, ended, agents })
  return agents
}

const last = new WeakMap<
  readonly AgentView[],
  { readonly agent: string | null; readonly unfolded: boolean; readonly ended: number; readonly agents: FoldedAgents }
>()

const folding = (
  { agents: all, endedAgents }: ConsoleState['board'],
  { agent, unfolded }: Pick<ConsoleState['view'], 'agent' | 'unfolded'>,
): FoldedAgents => {
  const shown = unfolded ? all : all.filter((one) => one.id === agent || !isOver(one))
  if (all.length - shown.length < 2) return { shown: all, folded: 0 }
  // The board reads the latest of the ended agents only.
  const unread = Math.max(0, endedAgents - all.filter(({ status }) => status === 'terminated').length)
  return { shown, folded: all.length - shown.length + unread }
}

/** True if it has ended, and left nothing for the person to do. */
export const isOver = ({ status, launchError, left }: AgentView): boolean =>
  status === 'terminated' && launchError === null && left.length === 0
