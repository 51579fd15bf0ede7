import { ours, safeText, type SafeText } from '../../domain/words/safe-text.ts'
import { isHeld } from '../../domain/task/task.ts'
import { terminateAgent } from '../../operations/agents/spawn.ts'
import { cancelTask } from '../../operations/tasks/cancel.ts'
import { agentOf, taskOf } from '../core/selection.ts'
import type { ConsoleState } from '../core/state.ts'
import type { Question } from './question.ts'
import { itemOf, settle } from './settle.ts'
import { intentText, receiptText } from '../../text/forms.ts'

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
