import { budgetWords, sleepWords, usedWords } from '../../../domain/budget/budget.ts'
import { bytes } from '../../../domain/words/bytes.ts'
import { ours, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import { contextWords } from '../../../domain/agent/context-health.ts'
import { worktreeSince } from '../../../domain/worktree/since.ts'
import { duration } from '../../../domain/words/time.ts'
import type { AgentView, TaskView, WorktreeView } from '../../../operations/views/views.ts'
import type { Line } from '../../../../components/Lines.tsx'
import { agentLooks, boardLooks, integrationLooks, type Look } from '../../../../components/base/look.ts'
import { shownKey } from '../../keys/names.ts'
import { fact, longFact, moment, paragraph, widthIn } from '../../rows/lines.ts'
import { mergesNow, reasonOfAgent, reasonOfTask, reasonOfWorktree } from '../../rows/reasons.ts'
import { agentLook } from '../../rows/agent-row.ts'
import { boardSince, boardState } from '../../rows/board-row.ts'
import type { ConsoleState } from '../../core/state.ts'
import { agentText, taskText, worktreeText } from '../../../text/detail.ts'
import { rowText } from '../../../text/rows.ts'

// The facts at the top of a detail; its sections follow them.

type Titled = readonly [SafeText, readonly Line[]]

export const taskLines = (state: ConsoleState, task: TaskView): Titled => {
  const width = widthIn(state)
  const detail = state.detail?.id === task.id ? state.detail : null
  const asked = state.board.attention.filter((item) => item.taskId === task.id)
  const look = boardLooks[boardState(task, state.now, asked)]
  return [
    safeText(taskText.title(task.id)),
    [
      { text: safeText(task.title), bold: true, theirs: true },
      ...(task.sleep === null ? [] : paragraph(taskText.wakes(sleepWords(task.sleep, state.now), shownKey(state, 'retry')), width)),
      standing(look, task.blockedBy.length > 0 ? taskText.blockedBy(task.blockedBy) : ''),
      ...paragraph(reasonOfTask(state, task, duration, boardSince(task, state.now, asked)), width),
      ...fact(taskText.facts.persona, task.personaId),
      ...fact(taskText.facts.priority, task.priority),
      ...fact(taskText.facts.agent, task.assignedAgentId),
      ...longFact(taskText.facts.worktree, task.targetWorktree ?? taskText.repositoryRoot, width),
      ...fact(taskText.facts.attempt, task.attempt > 0 ? taskText.attempts(task.attempt, task.retryCount) : null),
      ...fact(taskText.facts.progress, task.progressPercent === null ? null : `${task.progressPercent}%`),
      ...longFact(taskText.facts.dependsOn, list(task.dependencies), width),
      ...longFact(taskText.facts.neededBy, list(detail?.dependents ?? []), width),
      ...fact(taskText.facts.parent, task.parentTaskId),
      ...longFact(taskText.facts.subtasks, list(detail?.children ?? []), width),
      ...fact(taskText.facts.createdBy, task.createdBy),
      ...fact(taskText.facts.claimed, task.claimedAt === null ? null : moment(state, task.claimedAt)),
      ...fact(taskText.facts.started, task.startedAt === null ? null : moment(state, task.startedAt)),
      ...fact(taskText.facts.completed, task.completedAt === null ? null : moment(state, task.completedAt)),
      ...longFact(taskText.facts.context, task.contextRef, width),
      ...longFact(taskText.facts.used, detail ? usedWords(detail.usage) : null, width),
      ...longFact(
        taskText.facts.budget,
        detail && (detail.budget.costUsd !== null || detail.budget.tokens !== null)
          ? `${budgetWords(detail.budget, detail.usage)}${detail.budget.askedAt === null ? '' : taskText.waitsForAnswer}`
          : null,
        width,
      ),
    ],
  ]
}

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
      ...fact(agentText.facts.task, agent.taskId),
      ...longFact(agentText.facts.worktree, agent.assignedWorktree, width),
      ...longFact(agentText.facts.context, agent.context === null ? null : contextWords(agent.context), width),
      ...longFact(agentText.facts.used, usedWords(agent.usage), width),
      ...longFact(agentText.facts.paused, agent.pausedAt === null ? null : agentText.paused(moment(state, agent.pausedAt), agent.taskId), width),
      ...fact(agentText.facts.spawnedBy, agent.parentAgentId),
      ...fact(agentText.facts.registered, moment(state, agent.registeredAt)),
      ...fact(agentText.facts.heartbeat, moment(state, agent.lastHeartbeat)),
      ...longFact(agentText.facts.stopAsked, agent.stopRequestedAt === null ? null : `${moment(state, agent.stopRequestedAt)} ${agent.stopReason ?? ''}`, width),
      ...fact(agentText.facts.ended, agent.endedAt === null ? null : `${moment(state, agent.endedAt)}${agent.exitCode === null ? '' : agentText.exitCode(agent.exitCode)}`),
    ],
  ]
}

export const worktreeLines = (state: ConsoleState, worktree: WorktreeView): Titled => {
  const { integration } = worktree
  const width = widthIn(state)
  const seen = state.observed[worktree.name]
  const size = state.sizes[worktree.name]
  return [
    safeText(worktreeText.title(worktree.name)),
    [
      ...(integration ? [entering(integration, mergesNow(state, worktree))] : [{ text: safeText(worktreeText.folder(worktree.status, worktree.folder)) }]),
      ...paragraph(reasonOfWorktree(state, worktree, worktreeSince(worktree)), width),
      ...longFact(worktreeText.facts.branch, worktree.branchName, width),
      ...longFact(worktreeText.facts.forkedFrom, worktree.sourceBranch, width),
      ...longFact(worktreeText.facts.path, worktree.path, width),
      ...fact(worktreeText.facts.createdBy, worktree.createdBy),
      ...fact(worktreeText.facts.commits, seen ? `${worktreeText.distance(seen.ahead, seen.behind)}, +${seen.added} −${seen.removed}` : null),
      ...fact(worktreeText.facts.uncommitted, seen && seen.dirty !== null ? worktreeText.paths(seen.dirty) : null),
      ...fact(worktreeText.facts.port, worktree.port),
      ...fact(worktreeText.facts.size, size ? (size.complete ? bytes(size.bytes) : worktreeText.atLeast(bytes(size.bytes))) : null),
      ...longFact(worktreeText.facts.discarded, worktree.discardReason, width),
      ...longFact(worktreeText.facts.archive, worktree.archiveRef, width),
    ],
  ]
}

const standing = (look: Look, more = ''): Line => ({ text: ours(`${look.mark} ${look.word}${safeText(more) === '' ? '' : ` ${safeText(more)}`}`), colour: look.colour })

/** The state in the words of its row. */
const entering = ({ status, target }: NonNullable<WorktreeView['integration']>, clear: boolean): Line => {
  const look = integrationLooks[status]
  if (status !== 'conflicted') return standing(look, worktreeText.into(target))
  return standing({ ...look, word: safeText(clear ? rowText.conflictedWith(target) : rowText.conflictsWith(target)) })
}

const list = (ids: readonly number[]): string | null => (ids.length > 0 ? ids.join(', ') : null)
