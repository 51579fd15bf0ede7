import { leftWords } from '../../domain/agent/agent.ts'
import { contextMark, contextWords, needsCompression } from '../../domain/agent/context-health.ts'
import { safeText } from '../../domain/words/safe-text.ts'
import { duration, elapsed, type Instant, zonedTime } from '../../domain/words/time.ts'
import type { AgentRunView } from '../../operations/agents/runs.ts'
import type { AgentView } from '../../operations/views/agents.ts'
import { blocks, columns, pairs, section } from './columns.ts'

export const agentList = (agents: readonly AgentView[], now: Instant): string => {
  const hosts = <T>(cell: T): readonly T[] => (agents.some(({ host }) => host) ? [cell] : [])
  return agents.length === 0
    ? 'No agents.'
    : [
        columns(
          ['AGENT', 'PERSONA', 'KIND', 'STATE', 'PID', 'BEAT', 'CTX', 'TASK', ...hosts('HOST'), 'WORKTREE'],
          agents.map((agent) => [
            agent.id,
            agent.personaId,
            agent.kind,
            standing(agent),
            agent.processId,
            duration(elapsed(agent.lastHeartbeat, now)),
            contextMark(agent.context),
            agent.taskId,
            ...hosts(agent.host?.name ?? null),
            agent.assignedWorktree,
          ]),
          ['PID', 'BEAT', 'CTX', 'TASK'],
        ),
        ...agents.flatMap(fullContext),
      ].join('\n')
}

/** Agents whose context should be compressed. */
const fullContext = ({ id, context }: AgentView): readonly string[] =>
  context !== null && needsCompression(context) ? [safeText(`Context of ${id}: ${contextWords(context)}`)] : []

export const agentDetail = (agent: AgentView, runs: readonly AgentRunView[], now: Instant): string =>
  blocks([
    pairs([
      ['agent', agent.id],
      ['persona', agent.personaId],
      ['kind', agent.kind],
      ['state', standing(agent)],
      ['pid', agent.processId],
      ['heartbeat', `${duration(elapsed(agent.lastHeartbeat, now))} ago`],
      ['task', agent.taskId],
      ['host', agent.host?.name ?? null],
      ['worktree', agent.assignedWorktree],
      ['context', agent.context === null ? null : contextWords(agent.context)],
      ['spawned by', agent.parentAgentId],
      ['stopped', agent.stopReason],
    ]),
    section('Runs', runs.flatMap(runLines)),
  ])

const runLines = (run: AgentRunView): readonly string[] => [
  [
    `${run.run}. ${zonedTime(run.startedAt)}`,
    run.taskId === null ? '' : `task ${run.taskId}`,
    safeText(run.model ?? ''),
    run.resumed ? 'session resumed' : '',
    run.tokensIn + run.tokensOut === 0 ? '' : `${run.tokensIn} tokens in, ${run.tokensOut} out`,
    run.costUsd === null
      ? run.tokensIn + run.tokensOut === 0
        ? ''
        : 'no price reported'
      : `$${run.costUsd.toFixed(4)}`,
    run.exitCode === null ? '' : `exit ${run.exitCode}`,
  ]
    .filter((part) => part !== '')
    .join('  '),
  ...(run.problem === null ? [] : [`   problem: ${safeText(run.problem)}`]),
  ...(run.said === null ? [] : [`   last message: ${safeText(run.said)}`]),
]

export const agentLine = (agent: AgentView): string =>
  safeText(
    `Agent ${agent.id} (${agent.personaId}, ${agent.kind}) is ${standing(agent)}${agent.taskId === null ? '' : `, task ${agent.taskId}`}`,
  )

const standing = (agent: AgentView): string => {
  if (agent.launchError !== null) return `cannot start: ${agent.launchError}`
  if (agent.status === 'terminated' && agent.left.length > 0) return `ended, ${leftWords(agent.left)}`
  if (agent.status === 'terminated')
    return agent.exitCode === null ? 'terminated' : `terminated, exit ${agent.exitCode}`
  if (agent.stopRequestedAt !== null) return 'stopping'
  return agent.process === 'wanted' ? 'starting' : agent.status
}
