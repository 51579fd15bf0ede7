import { isHeld, standingOf, whyNot } from '../../domain/task/task.ts'
import { ours, safeText, type SafeText } from '../../domain/words/safe-text.ts'
import { terminateAgent } from '../../operations/agents/spawn.ts'
import { cancelTask } from '../../operations/tasks/cancel.ts'
import { intentText, receiptText } from '../../text/forms.ts'
import { actionRefusals } from '../../text/panes.ts'
import type { Controller } from '../core/controller.ts'
import { agentOf, factsOf, selectedAgent, selectedTask, taskOf } from '../core/selection.ts'
import type { ConsoleState } from '../core/state.ts'
import { ask, itemOf, type Question, settle } from './answers.ts'

// Cancels a task, or ends an agent.

export const whyNotAbort = (state: ConsoleState): string | undefined => {
  const { about } = state.view
  if (about === 'worktrees') return actionRefusals.abortsNoWorktree
  if (about === 'board') {
    const task = selectedTask(state)
    if (!task) return actionRefusals.noTaskToCancel
    return whyNot('cancel', factsOf(task)) === undefined
      ? undefined
      : actionRefusals.cancelsUnfinished(standingOf(factsOf(task)))
  }
  const agent = selectedAgent(state)
  if (!agent) return actionRefusals.noAgentToEnd
  return agent.status === 'terminated' ? actionRefusals.agentHasEnded(agent.id) : undefined
}

export const abort = (controller: Controller): void =>
  ask(controller, (state) =>
    state.view.about === 'board'
      ? cancelQuestion(state, state.view.task!)
      : terminateQuestion(state, state.view.agent!),
  )

/** Cancels a task, and stops the process of the agent that holds it. */
export const cancelQuestion = (state: ConsoleState, taskId: number): Question => {
  const task = taskOf(state, taskId)
  const holder = task && isHeld(task.status) ? task.assignedAgentId : null
  const process = agentOf(state, holder)?.process
  const named = intentText.cancel(taskId, task?.title ?? null)
  const ends = process === 'wanted' || process === 'started' ? intentText.stopsProcess : intentText.takesFrom
  return {
    lines: [
      holder === null ? `${named}.` : intentText.endsFor(named, ends, processOf(state, holder)),
      intentText.whatStays,
    ],
    carryOut: (controller) =>
      settle(
        controller,
        itemOf(controller.state(), { requestId: null, taskId }),
        receiptText.didCancel,
        cancelTask,
        { taskId },
        () => receiptText.cancelled(taskId),
      ),
  }
}

/** Ends an agent; its tasks go back on the board. */
export const terminateQuestion = (state: ConsoleState, agentId: string): Question => {
  const held = state.board.tasks
    .filter((task) => task.assignedAgentId === agentId && isHeld(task.status))
    .map((task) => task.id)
  const current = agentOf(state, agentId)?.taskId ?? null
  const back = current === null || held.includes(current) ? held : [...held, current]
  return {
    lines: [intentText.terminate(processOf(state, agentId), back)],
    carryOut: (controller) =>
      controller.perform(terminateAgent, { agentId }, (agent) =>
        agent.status === 'terminated' ? receiptText.ended(agentId) : receiptText.stopping(agentId),
      ),
  }
}

/** Agents that a worktree's end would stop. */
export const stoppedWith = (state: ConsoleState, worktree: string): readonly SafeText[] =>
  state.board.agents
    .filter((agent) => agent.assignedWorktree === worktree && agent.status !== 'terminated')
    .map((agent) => ours(processOf(state, agent.id)))

const processOf = (state: ConsoleState, agentId: string): string => {
  const pid = agentOf(state, agentId)?.processId ?? null
  return safeText(pid === null ? agentId : intentText.withPid(agentId, pid))
}
