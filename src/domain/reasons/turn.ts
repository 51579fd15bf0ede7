import type { AgentState, ProcessState } from '../agent.ts'
import { COMMAND_KIND } from '../schedule.ts'
import type { ReasonedTask } from './task.ts'

/** What an agent's row says about whether others wait for it. */
export interface Engaged {
  readonly id: string
  readonly kind: string
  readonly status: AgentState
  readonly process: ProcessState
  readonly assignedWorktree: string | null
  readonly taskId: number | null
}

/** Why a task does not start though there is a free slot: in one worktree one command runs at a time, an agent that is named does one task after the other. */
export const whyNotItsTurn = (task: Pick<ReasonedTask, 'command' | 'targetWorktree' | 'wantedAgentId'>, agents: readonly Engaged[]): string | undefined => {
  const running = agents.filter(({ process }) => process === 'wanted' || process === 'started')
  const command = task.command === null ? undefined : running.find(({ kind, assignedWorktree }) => kind === COMMAND_KIND && assignedWorktree === task.targetWorktree)
  if (command) return `another command runs in ${task.targetWorktree ?? 'the repository root'}${command.taskId === null ? '' : `: task ${command.taskId}`}`
  const wanted = agents.find(({ id, status }) => id === task.wantedAgentId && status !== 'terminated')
  if (wanted?.process === 'none') return `agent ${wanted.id} registered itself and has to claim it`
  return wanted && running.includes(wanted) ? `agent ${wanted.id} is at work on ${wanted.taskId === null ? 'another task' : `task ${wanted.taskId}`}` : undefined
}
