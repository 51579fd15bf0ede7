import { safeText } from '../../domain/safe-text.ts'
import { duration, elapsed, type Instant } from '../../domain/time.ts'
import type { AgentView } from '../../operations/kernel/views.ts'
import { columns } from './columns.ts'

export const agentList = (agents: readonly AgentView[], now: Instant): string =>
  agents.length === 0
    ? 'No agents.'
    : columns(
        ['AGENT', 'PERSONA', 'KIND', 'STATE', 'PID', 'BEAT', 'TASK', 'WORKTREE'],
        agents.map((agent) => [
          agent.id,
          agent.personaId,
          agent.kind,
          standing(agent),
          agent.processId,
          duration(elapsed(agent.lastHeartbeat, now)),
          agent.taskId,
          agent.assignedWorktree,
        ]),
        ['PID', 'BEAT', 'TASK'],
      )

export const agentLine = (agent: AgentView): string =>
  safeText(`Agent ${agent.id} (${agent.personaId}, ${agent.kind}) is ${standing(agent)}${agent.taskId === null ? '' : `, task ${agent.taskId}`}`)

const standing = (agent: AgentView): string => {
  if (agent.status === 'terminated') return agent.exitCode === null ? 'terminated' : `terminated, exit ${agent.exitCode}`
  if (agent.stopRequestedAt !== null) return 'stopping'
  if (agent.launchError !== null) return `cannot start: ${agent.launchError}`
  return agent.process === 'wanted' ? 'starting' : agent.status
}
