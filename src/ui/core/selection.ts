import { whyNot, whyNotDue, type TaskFacts } from '../../domain/task/task.ts'
import type { EndedWorktree } from '../../domain/worktree/worktree.ts'
import type { AgentView } from '../../operations/views/agents.ts'
import type { TaskView } from '../../operations/views/tasks.ts'
import type { WorktreeView } from '../../operations/views/worktrees.ts'
import { tasksAround } from './board-window.ts'
import { viewOf } from './overlays.ts'
import type { ConsoleState } from './state.ts'
import type { Subject } from './registry.ts'
import { actionRefusals } from '../../text/panes.ts'

// The objects on which keys act, read from the state.

export const selectedTask = (state: ConsoleState): TaskView | undefined => taskOf(state, state.view.task)

export const selectedAgent = (state: ConsoleState): AgentView | undefined => agentOf(state, state.view.agent)

export const selectedWorktree = (state: ConsoleState): WorktreeView | undefined =>
  worktreeOf(state, state.view.worktree)

export const taskOf = (state: ConsoleState, id: number | null): TaskView | undefined =>
  id === null
    ? undefined
    : ((state.view.shape.as === 'list' ? undefined : tasksAround(state).find((task) => task.id === id)) ??
      state.board.tasks.find((task) => task.id === id))

export const agentOf = ({ board }: ConsoleState, id: string | null): AgentView | undefined =>
  id === null ? undefined : board.agents.find((agent) => agent.id === id)

export const worktreeOf = ({ board }: ConsoleState, name: string | null): WorktreeView | undefined =>
  name === null ? undefined : board.worktrees.find((worktree) => worktree.name === name)

/** The selected task, or that of the selected agent. */
export const taskAtHand = (state: ConsoleState): TaskView | undefined => {
  if (state.view.about === 'board') return selectedTask(state)
  return state.view.about === 'agents' ? taskOf(state, selectedAgent(state)?.taskId ?? null) : undefined
}

/** The selected agent, or that of the selected task. */
export const agentAtHand = (state: ConsoleState): AgentView | undefined => {
  if (state.view.about === 'agents') return selectedAgent(state)
  return state.view.about === 'board' ? agentOf(state, selectedTask(state)?.assignedAgentId ?? null) : undefined
}

/** The agent or worktree that the front view is about, if it is about one. */
export const frontSubject = (state: ConsoleState): Subject => {
  const { overlay } = state.view
  return (overlay && viewOf(state, overlay).subject?.(state, overlay)) ?? {}
}

/** The worktree of the front view, the selected one, or that of the selected task or agent. */
export const worktreeAtHand = (state: ConsoleState): WorktreeView | undefined => {
  const { about } = state.view
  const { worktree } = frontSubject(state)
  if (worktree !== undefined) return worktreeOf(state, worktree)
  if (about === 'worktrees') return selectedWorktree(state)
  return worktreeOf(
    state,
    (about === 'board'
      ? selectedTask(state)?.targetWorktree
      : (selectedAgent(state)?.assignedWorktree ?? taskAtHand(state)?.targetWorktree)) ?? null,
  )
}

export const factsOf = ({ id, status, assignedAgentId, blockedBy, notBefore }: TaskView): TaskFacts => ({
  id,
  status,
  assignedAgentId,
  blockedBy,
  notBefore,
})

/** The worktree of a task, if it accepts no more work. */
export const endedWorktreeOf = (state: ConsoleState, task: TaskView | undefined): EndedWorktree | undefined => {
  const worktree = worktreeOf(state, task?.targetWorktree ?? null)
  return worktree?.status === 'active' ? undefined : worktree
}

/** A pending task that waits for its retry may be retried at once. */
export const whyNotRetry = (state: ConsoleState, task: TaskView | undefined): string | undefined => {
  if (!task) return actionRefusals.noTaskToRetry
  if (task.sleep !== null) return undefined
  if (whyNotDue(factsOf(task), state.now) !== undefined) return undefined
  const ended = endedWorktreeOf(state, task)
  return whyNot('retry', factsOf(task)) ?? (ended && actionRefusals.takesNoRetry(task.id, ended.name, ended.status))
}
