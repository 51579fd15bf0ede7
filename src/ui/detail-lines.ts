import { budgetWords, sleepWords, usedWords } from '../domain/budget.ts'
import { bytes } from '../domain/bytes.ts'
import { ours, safeLines, safeText, spelledOut, type SafeText } from '../domain/safe-text.ts'
import { contextWords } from '../domain/context-health.ts'
import { taskSince, worktreeSince } from '../domain/reasons.ts'
import { clockTime, duration, elapsed, type Instant } from '../domain/time.ts'
import type { AgentView, TaskView, WorktreeView } from '../operations/kernel/views.ts'
import type { Line } from '../../components/Lines.tsx'
import type { ColourName } from '../../components/theme.ts'
import { agentLooks, boardLooks, integrationLooks, type Look } from '../../components/look.ts'
import { reasonOfAgent, reasonOfTask, reasonOfWorktree, sinceOfAgent } from './reasons.ts'
import { agentLook, boardState } from './rows.ts'
import type { ConsoleState } from './state.ts'
import { fold } from '../../components/fit.ts'

// The facts at the top of what Enter opens of a row; its sections are in detail/.

type Titled = readonly [SafeText, readonly Line[]]

export const taskLines = (state: ConsoleState, task: TaskView): Titled => {
  const width = widthIn(state)
  const detail = state.detail?.id === task.id ? state.detail : null
  const look =
    boardLooks[
      boardState(
        task,
        state.now,
        state.board.attention.filter((item) => item.taskId === task.id),
      )
    ]
  return [
    safeText(`Task ${task.id}`),
    [
      { text: safeText(task.title), bold: true },
      ...(task.sleep === null ? [] : paragraph(`${sleepWords(task.sleep, state.now)}; r wakes it`, width)),
      standing(look, task.blockedBy.length > 0 ? ` by ${task.blockedBy.join(', ')}` : ''),
      ...why(state, reasonOfTask(state, task), taskSince(task)),
      ...fact('persona', task.personaId),
      ...fact('priority', task.priority),
      ...fact('agent', task.assignedAgentId),
      ...fact('worktree', task.targetWorktree ?? 'the repository root'),
      ...fact('attempt', task.attempt > 0 ? `${task.attempt}, ${task.retryCount} retried` : null),
      ...fact('progress', task.progressPercent === null ? null : `${task.progressPercent}%`),
      ...fact('depends on', list(task.dependencies)),
      ...fact('needed by', list(detail?.dependents ?? [])),
      ...fact('parent', task.parentTaskId),
      ...fact('subtasks', list(detail?.children ?? [])),
      ...fact('created by', task.createdBy),
      ...fact('claimed', task.claimedAt === null ? null : clockTime(task.claimedAt)),
      ...fact('started', task.startedAt === null ? null : clockTime(task.startedAt)),
      ...fact('completed', task.completedAt === null ? null : clockTime(task.completedAt)),
      ...fact('context', task.contextRef),
      ...fact('used', detail ? usedWords(detail.usage) : null),
      ...fact(
        'budget',
        detail && (detail.budget.costUsd !== null || detail.budget.tokens !== null)
          ? `${budgetWords(detail.budget, detail.usage)}${detail.budget.askedAt === null ? '' : '; w answers'}`
          : null,
      ),
    ],
  ]
}

export const agentLines = (state: ConsoleState, agent: AgentView): Titled => {
  const seen = state.processes[agent.id]
  return [
    safeText(`Agent ${agent.id}`),
    [
      standing(agentLooks[agentLook(agent)]),
      ...why(state, reasonOfAgent(state, agent), sinceOfAgent(state, agent)),
      ...fact('persona', agent.personaId),
      ...fact('kind', agent.kind),
      ...fact(
        'process',
        agent.processId === null
          ? agent.process
          : `${agent.processId}, run ${agent.run}${seen ? `, ${seen.processes} processes, ${Math.round(seen.cpu)}% of a core, ${bytes(seen.memory)}` : ''}`,
      ),
      ...fact('task', agent.taskId),
      ...fact('worktree', agent.assignedWorktree),
      ...(agent.context === null ? [] : paragraph(`Context ${contextWords(agent.context)}`, widthIn(state))),
      ...fact('used', usedWords(agent.usage)),
      ...fact('paused', agent.pausedAt === null ? null : `${clockTime(agent.pausedAt)}, until you say whether task ${agent.taskId} may cost more`),
      ...fact('spawned by', agent.parentAgentId),
      ...fact('registered', clockTime(agent.registeredAt)),
      ...fact('heartbeat', clockTime(agent.lastHeartbeat)),
      ...fact('stop asked', agent.stopRequestedAt === null ? null : `${clockTime(agent.stopRequestedAt)} ${agent.stopReason ?? ''}`),
      ...fact('ended', agent.endedAt === null ? null : `${clockTime(agent.endedAt)}${agent.exitCode === null ? '' : `, exit code ${agent.exitCode}`}`),
    ],
  ]
}

/** Why it is in its state, and for how long. */
const why = (state: ConsoleState, reason: string, since: Instant): readonly Line[] => paragraph(`${reason}; for ${duration(elapsed(since, state.now))} now`, widthIn(state))

/** `, 12k in 3k out, $0.42`; nothing where nothing is known. */
export const usageWords = ({ tokensIn, tokensOut, costUsd }: { tokensIn: number | null; tokensOut: number | null; costUsd: number | null }): string =>
  `${tokensIn || tokensOut ? `, ${thousands(tokensIn ?? 0)} in ${thousands(tokensOut ?? 0)} out` : ''}${costUsd === null ? '' : `, $${costUsd.toFixed(2)}`}`

const thousands = (tokens: number): string => (tokens < 1000 ? String(tokens) : `${Math.round(tokens / 1000)}k`)

export const worktreeLines = (state: ConsoleState, worktree: WorktreeView): Titled => {
  const { integration } = worktree
  const seen = state.observed[worktree.name]
  const size = state.sizes[worktree.name]
  return [
    safeText(`Worktree ${worktree.name}`),
    [
      ...(integration ? [standing(integrationLooks[integration.status], ` into ${integration.target}`)] : [{ text: safeText(`${worktree.status}, folder ${worktree.folder}`) }]),
      ...why(state, reasonOfWorktree(state, worktree), worktreeSince(worktree)),
      ...fact('branch', worktree.branchName),
      ...fact('forked from', worktree.sourceBranch),
      ...fact('path', worktree.path),
      ...fact('created by', worktree.createdBy),
      ...fact('commits', seen ? `${seen.ahead} ahead, ${seen.behind} behind, +${seen.added} −${seen.removed}` : null),
      ...fact('uncommitted', seen ? `${seen.dirty} paths` : null),
      ...fact('port', worktree.port),
      ...fact('size', size ? `${size.complete ? '' : 'at least '}${bytes(size.bytes)}` : null),
      ...fact('discarded', worktree.discardReason),
      ...fact('archive', worktree.archiveRef),
    ],
  ]
}

export const verificationLines = (verification: NonNullable<WorktreeView['integration']>['verification'], width: number): readonly Line[] =>
  verification === null
    ? []
    : [
        ...heading(verification.exitCode === 0 ? 'Verified ✓' : 'Verification failed ✗', verification.exitCode === 0 ? 'green' : 'red'),
        ...fact('command', verification.command),
        ...fact('exit code', verification.exitCode ?? 'ended by a signal'),
        ...(verification.exitCode === 0 ? [] : paragraph(verification.tail, width)),
      ]

export const heading = (words: string, colour: ColourName = 'cyan'): readonly Line[] => [{ text: ours('') }, { text: ours(words), bold: true, colour }]

export const fact = (name: string, value: string | number | null): readonly Line[] =>
  value === null || value === '' ? [] : [{ text: ours(`${name.padEnd(14)}${safeText(String(value))}`) }]

/** Text of several lines, each folded to the width. */
export const paragraph = (text: string, width: number): readonly Line[] =>
  safeLines(text)
    .flatMap((line) => fold(plain(line), width))
    .map((line) => ({ text: line }))

/** As `paragraph`, for what a person decides about: nothing of it is hidden. */
export const verbatim = (text: string, width: number): readonly Line[] =>
  spelledOut(text)
    .flatMap((line) => fold(line, width))
    .map((line) => ({ text: line }))

export const widthIn = ({ view }: ConsoleState): number => Math.max(10, view.size.columns - 4)

const standing = (look: Look, more = ''): Line => ({ text: ours(`${look.mark} ${look.word}${safeText(more) === '' ? '' : ` ${safeText(more)}`}`), colour: look.colour })

const list = (ids: readonly number[]): string | null => (ids.length > 0 ? ids.join(', ') : null)

// Colours inside of a text that is folded would leak from one line into the next.
// eslint-disable-next-line no-control-regex -- colour sequences are what is taken out
const plain = (line: SafeText): SafeText => line.replace(/\u001b\[[0-9;:]*m/g, '') as SafeText
