import { safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import { selectedTask } from '../../core/selection.ts'
import type { ConsoleState } from '../../core/state.ts'
import { paneText } from '../../../text/panes.ts'

export interface LogSubject {
  readonly taskId: number | null
  readonly agentId: string | null
}

/** The subject of the log: the selected task and its agent, or the selected agent. A worktree does not change it. */
export const subjectOf = (state: ConsoleState, before: LogSubject): LogSubject => {
  const { about, agent, task } = state.view
  if (about === 'agents') return { taskId: null, agentId: agent }
  if (about === 'worktrees' && (before.taskId !== null || before.agentId !== null)) return before
  const attempts = state.detail?.id === task ? state.detail?.attempts : undefined
  return { taskId: task, agentId: selectedTask(state)?.assignedAgentId ?? attempts?.at(-1)?.agentId ?? null }
}

const nobody = { taskId: null, agentId: null }

/** The subject of the log: a task, an agent, or both. */
export const logSubject = (state: ConsoleState): SafeText => {
  const { taskId, agentId } = subjectOf(state, nobody)
  return safeText(
    [taskId === null ? '' : paneText.taskOf(taskId), agentId ?? ''].filter((part) => part !== '').join(' '),
  )
}
