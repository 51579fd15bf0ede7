import { ours, safeText } from '../../domain/safe-text.ts'
import type { HeaderProps } from '../../../components/Header.tsx'
import { sessionLooks } from '../../../components/look.ts'
import type { ConsoleState } from '../state.ts'
import { momentOf, pastIn, placeIn } from './moment.ts'

/**
 * What the header says of the past moment that is looked at; null in the present. What the events do not tell is left out:
 * costs, what waited for a person and, where the beginning of the log was not read, how many tasks there were.
 */
export const pastHeader = (state: ConsoleState): (Omit<HeaderProps, 'repository' | 'branch' | 'agents' | 'width'> & { readonly running: number }) | null => {
  const overlay = pastIn(state)
  if (!overlay) return null
  const { tasks, agents, session } = momentOf(state.past.events, placeIn(state, overlay))
  const known = session !== null && Object.hasOwn(sessionLooks, session.status)
  return {
    session: known ? { id: safeText(session.id), status: session.status as keyof typeof sessionLooks, summary: null } : state.past.whole ? null : 'unknown',
    paused: session?.status === 'running' && session.paused,
    supervisedElsewhere: null,
    running: [...agents.values()].filter((agent) => agent.pid !== null || agent.state === 'active').length,
    tasks: state.past.whole ? { done: [...tasks.values()].filter(({ status }) => status === 'completed').length, all: tasks.size } : null,
    waiting: 0,
    cost: ours(''),
    pace: null,
  }
}
