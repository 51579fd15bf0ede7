import { safeText, type SafeText } from '../../domain/safe-text.ts'
import { subjectOf } from '../log-feed.ts'
import type { ConsoleState } from '../state.ts'
import { paneText } from '../../text/panes.ts'

const nobody = { taskId: null, agentId: null }

/** Whose log it is: a task, an agent, or both. */
export const logSubject = (state: ConsoleState): SafeText => {
  const { taskId, agentId } = subjectOf(state, nobody)
  return safeText([taskId === null ? '' : paneText.taskOf(taskId), agentId ?? ''].filter((part) => part !== '').join(' '))
}
