import { safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import { subjectOf } from './feed.ts'
import type { ConsoleState } from '../../core/state.ts'
import { paneText } from '../../../text/panes.ts'

const nobody = { taskId: null, agentId: null }

/** The subject of the log: a task, an agent, or both. */
export const logSubject = (state: ConsoleState): SafeText => {
  const { taskId, agentId } = subjectOf(state, nobody)
  return safeText([taskId === null ? '' : paneText.taskOf(taskId), agentId ?? ''].filter((part) => part !== '').join(' '))
}
