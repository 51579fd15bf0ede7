import { usedWords } from '../../../domain/budget/budget.ts'
import { bytes } from '../../../domain/words/counts.ts'
import { safeText } from '../../../domain/words/safe-text.ts'
import { contextWords } from '../../../domain/agent/context-health.ts'
import type { AgentView } from '../../../operations/views/agents.ts'
import { agentLooks } from '../../../../components/base/look.ts'
import { agentLook, reasonOfAgent } from '../../rows/agents.ts'
import { fact, longFact, moment, paragraph, widthIn } from '../../rows/lines.ts'
import type { ConsoleState } from '../../core/state.ts'
import { hostFact, silentAfterIn } from '../../rows/hosts.ts'
import { standing, type Titled } from './section.ts'
import { agentText } from '../../../text/agents.ts'

// The facts at the top of an agent's detail; its sections follow them.

export const agentLines = (state: ConsoleState, agent: AgentView): Titled => {
  const seen = state.processes[agent.id]
  const width = widthIn(state)
  return [
    safeText(agentText.title(agent.id)),
    [
      standing(agentLooks[agentLook(agent)]),
      ...paragraph(reasonOfAgent(state, agent), width),
      ...fact(agentText.facts.persona, agent.personaId),
      ...fact(agentText.facts.kind, agent.kind),
      ...longFact(
        agentText.facts.process,
        agent.processId === null
          ? agent.process
          : `${agentText.process(agent.processId, agent.run)}${seen ? `, ${agentText.uses(seen.processes, seen.cpu, bytes(seen.memory))}` : ''}`,
        width,
      ),
      ...fact(agentText.facts.host, hostFact(agent.host, { now: state.now, silentAfter: silentAfterIn(state) })),
      ...fact(agentText.facts.task, agent.taskId),
      ...longFact(agentText.facts.worktree, agent.assignedWorktree, width),
      ...longFact(agentText.facts.permissions, unaskedOf(state, agent), width),
      ...longFact(agentText.facts.context, agent.context === null ? null : contextWords(agent.context), width),
      ...longFact(agentText.facts.used, usedWords(agent.usage), width),
      ...longFact(
        agentText.facts.paused,
        agent.pausedAt === null ? null : agentText.paused(moment(state, agent.pausedAt), agent.taskId),
        width,
      ),
      ...fact(agentText.facts.spawnedBy, agent.parentAgentId),
      ...fact(agentText.facts.registered, moment(state, agent.registeredAt)),
      ...fact(agentText.facts.heartbeat, moment(state, agent.lastHeartbeat)),
      ...longFact(
        agentText.facts.stopAsked,
        agent.stopRequestedAt === null ? null : `${moment(state, agent.stopRequestedAt)} ${agent.stopReason ?? ''}`,
        width,
      ),
      ...fact(
        agentText.facts.ended,
        agent.endedAt === null
          ? null
          : `${moment(state, agent.endedAt)}${agent.exitCode === null ? '' : agentText.exitCode(agent.exitCode)}`,
      ),
    ],
  ]
}

/** The actions that it takes without asking, once they were read for this agent. */
const unaskedOf = ({ opened }: ConsoleState, { id }: AgentView): string | null =>
  opened.of === `agents ${id}` ? (opened.parts.unasked ?? null) : null
