import { ours, safeText } from '../../../domain/words/safe-text.ts'
import type { HeaderProps } from '../../../../components/Header.tsx'
import { sessionLooks } from '../../../../components/base/look.ts'
import type { ConsoleState } from '../../core/state.ts'
import { momentOf, pastIn, placeIn } from './moment.ts'

/**
 * The header for the shown past moment; null in the present. Facts that no event contains are omitted: costs, inbox
 * items and, if the beginning of the log was not read, the number of tasks.
 */
export const pastHeader = (
  state: ConsoleState,
): (Omit<HeaderProps, 'repository' | 'branch' | 'agents' | 'width'> & { readonly running: number }) | null => {
  const overlay = pastIn(state)
  if (!overlay) return null
  const { tasks, agents, session } = momentOf(state.past.events, placeIn(state, overlay))
  const known = session !== null && Object.hasOwn(sessionLooks, session.status)
  return {
    session: known
      ? { id: safeText(session.id), status: session.status as keyof typeof sessionLooks, summary: null }
      : state.past.whole
        ? null
        : 'unknown',
    paused: session?.status === 'running' && session.paused,
    supervisedElsewhere: null,
    running: [...agents.values()].filter((agent) => agent.pid !== null || agent.state === 'active').length,
    tasks: state.past.whole
      ? { done: [...tasks.values()].filter(({ status }) => status === 'completed').length, all: tasks.size }
      : null,
    waiting: 0,
    cost: ours(''),
    pace: null,
  }
}
