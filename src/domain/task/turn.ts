import type { AgentState, ProcessState } from '../agent/agent.ts'
import { COMMAND_KIND } from './startable.ts'
import type { ReasonedTask } from './reason.ts'

/** The fields of an agent's row that decide whether others wait for it. */
export interface Engaged {
  readonly id: string
  readonly kind: string
  readonly personaId: string
  readonly status: AgentState
  readonly process: ProcessState
  readonly assignedWorktree: string | null
  readonly taskId: number | null
}

/** The number of agents that may write in one worktree, and the personas that only read. */
export interface Writing {
  readonly writers: number
  readonly readers: readonly string[]
}

/**
 * The reason why a task does not start although there is a free slot: in one worktree one writing agent works at a
 * time, in the main checkout one command, and a named agent does one task after the other.
 */
export const whyNotItsTurn = (
  task: Pick<ReasonedTask, 'command' | 'targetWorktree' | 'wantedAgentId' | 'personaId'>,
  agents: readonly Engaged[],
  { writers, readers }: Writing,
): string | undefined => {
  const running = agents.filter(({ process }) => process === 'wanted' || process === 'started')
  const writes = (agent: Pick<Engaged, 'kind' | 'personaId'>): boolean =>
    agent.kind === COMMAND_KIND || !readers.includes(agent.personaId)
  if (task.targetWorktree === null) {
    const command =
      task.command === null
        ? undefined
        : running.find(({ kind, assignedWorktree }) => kind === COMMAND_KIND && assignedWorktree === null)
    if (command)
      return `another command is running in the repository root${command.taskId === null ? '' : `: task ${command.taskId}`}`
  } else if (writes({ kind: task.command === null ? '' : COMMAND_KIND, personaId: task.personaId })) {
    const inside = running.filter((agent) => agent.assignedWorktree === task.targetWorktree && writes(agent))
    if (inside.length >= writers) return `worktree busy: ${inside.map(({ id }) => id).join(', ')}`
  }
  const wanted = agents.find(({ id, status }) => id === task.wantedAgentId && status !== 'terminated')
  if (wanted?.process === 'none') return `agent ${wanted.id} registered itself and must claim it`
  return wanted && running.includes(wanted)
    ? `agent ${wanted.id} is working on ${wanted.taskId === null ? 'another task' : `task ${wanted.taskId}`}`
    : undefined
}
