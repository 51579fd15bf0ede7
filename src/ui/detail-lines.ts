import { bytes } from '../domain/bytes.ts'
import { ours, safeLines, safeText, spelledOut, type SafeText } from '../domain/safe-text.ts'
import { contextWords } from '../domain/context-health.ts'
import { clockTime } from '../domain/time.ts'
import type { AgentRunView } from '../operations/get-agent-runs.ts'
import type { AgentView, TaskView, WorktreeView } from '../operations/kernel/views.ts'
import type { Line } from '../../components/Lines.tsx'
import { agentLooks, boardLooks, integrationLooks, type Look } from '../../components/look.ts'
import { agentLook, boardState } from './rows.ts'
import { radarLines } from './radar-sheet.ts'
import type { ConsoleState } from './state.ts'
import { fold } from '../../components/fit.ts'

// What Enter opens of a row: everything that is known about it.

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
      standing(look, task.blockedBy.length > 0 ? ` by ${task.blockedBy.join(', ')}` : ''),
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
      ...passage('Command', task.command, width),
      ...passage('Error', task.errorMessage, width, 'red'),
      ...passage('Description', task.description, width),
      ...(task.acceptanceCriteria.length > 0 ? heading('Acceptance criteria') : []),
      ...task.acceptanceCriteria.flatMap(({ text, met }) => paragraph(`${met ? '✓' : '○'} ${text}`, width)),
      ...(task.artifacts.length > 0 ? heading('Artifacts') : []),
      ...task.artifacts.map((path) => ({ text: safeText(path) })),
      ...passage('Result', task.resultData === null ? null : typeof task.resultData === 'string' ? task.resultData : JSON.stringify(task.resultData, null, 2), width),
      ...(detail && detail.attempts.length > 0 ? heading('Attempts') : []),
      ...(detail?.attempts ?? []).flatMap((attempt) =>
        paragraph(
          [
            `${attempt.attempt}. ${attempt.agentId} ${clockTime(attempt.claimedAt)} ${attempt.outcome ?? 'under way'}${usageWords(attempt)}${attempt.error === null ? '' : `: ${attempt.error}`}`,
            ...attempt.commits.map(({ oid, subject }) => `   ${oid.slice(0, 8)} ${subject}`),
          ].join('\n'),
          width,
        ),
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
      ...fact('spawned by', agent.parentAgentId),
      ...fact('registered', clockTime(agent.registeredAt)),
      ...fact('heartbeat', clockTime(agent.lastHeartbeat)),
      ...fact('stop asked', agent.stopRequestedAt === null ? null : `${clockTime(agent.stopRequestedAt)} ${agent.stopReason ?? ''}`),
      ...fact('ended', agent.endedAt === null ? null : `${clockTime(agent.endedAt)}${agent.exitCode === null ? '' : `, exit code ${agent.exitCode}`}`),
      ...(state.runs.length > 0 && state.runs[0]!.agentId === agent.id ? heading('Runs') : []),
      ...state.runs.filter((run) => run.agentId === agent.id).flatMap((run) => paragraph(runWords(run), widthIn(state))),
      ...passage('It could not be started', agent.launchError, widthIn(state), 'red'),
    ],
  ]
}

const runWords = (run: AgentRunView): string =>
  [
    `${run.run}. ${clockTime(run.startedAt)}${run.taskId === null ? '' : ` task ${run.taskId}`}${run.model === null ? '' : ` ${run.model}`}${run.resumed ? ', session resumed' : ''}${run.exitCode === null ? '' : `, exit ${run.exitCode}`}${usageWords(run)}`,
    ...(run.problem === null ? [] : [`   could not work: ${run.problem}`]),
    ...(run.said === null ? [] : [`   said: ${run.said}`]),
  ].join('\n')

/** `, 12k in 3k out, $0.42`; nothing where nothing is known. */
export const usageWords = ({ tokensIn, tokensOut, costUsd }: { tokensIn: number | null; tokensOut: number | null; costUsd: number | null }): string =>
  `${tokensIn || tokensOut ? `, ${thousands(tokensIn ?? 0)} in ${thousands(tokensOut ?? 0)} out` : ''}${costUsd === null ? '' : `, $${costUsd.toFixed(2)}`}`

const thousands = (tokens: number): string => (tokens < 1000 ? String(tokens) : `${Math.round(tokens / 1000)}k`)

export const worktreeLines = (state: ConsoleState, worktree: WorktreeView): Titled => {
  const width = widthIn(state)
  const { integration } = worktree
  const seen = state.observed[worktree.name]
  const size = state.sizes[worktree.name]
  return [
    safeText(`Worktree ${worktree.name}`),
    [
      ...(integration ? [standing(integrationLooks[integration.status], ` into ${integration.target}`)] : [{ text: safeText(`${worktree.status}, folder ${worktree.folder}`) }]),
      ...fact('branch', worktree.branchName),
      ...fact('forked from', worktree.sourceBranch),
      ...fact('path', worktree.path),
      ...fact('created by', worktree.createdBy),
      ...fact('commits', seen ? `${seen.ahead} ahead, ${seen.behind} behind, +${seen.added} −${seen.removed}` : null),
      ...fact('uncommitted', seen ? `${seen.dirty} paths` : null),
      ...fact('port', worktree.port),
      ...fact('size', size ? `${size.complete ? '' : 'at least '}${bytes(size.bytes)}` : null),
      ...fact('tasks', list(state.board.tasks.filter((task) => task.targetWorktree === worktree.name).map((task) => task.id))),
      ...fact('discarded', worktree.discardReason),
      ...fact('archive', worktree.archiveRef),
      ...(integration && integration.conflicts.length > 0 ? heading('Conflicts', 'red') : []),
      ...(integration?.conflicts ?? []).map((path) => ({ text: safeText(path) })),
      ...passage('Problem', integration?.problem ?? null, width, 'red'),
      ...radarLines(state, worktree.name),
      ...verificationLines(integration?.verification ?? null, width),
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

export const heading = (words: string, colour = 'cyan'): readonly Line[] => [{ text: ours('') }, { text: ours(words), bold: true, colour }]

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

const passage = (name: string, text: string | null, width: number, colour?: string): readonly Line[] =>
  text === null || text.trim() === '' ? [] : [...heading(name, colour), ...paragraph(text, width)]

const standing = (look: Look, more = ''): Line => ({ text: ours(`${look.mark} ${look.word}${safeText(more) === '' ? '' : ` ${safeText(more)}`}`), colour: look.colour })

const list = (ids: readonly number[]): string | null => (ids.length > 0 ? ids.join(', ') : null)

// Colours inside of a text that is folded would leak from one line into the next.
// eslint-disable-next-line no-control-regex -- colour sequences are what is taken out
const plain = (line: SafeText): SafeText => line.replace(/\u001b\[[0-9;:]*m/g, '') as SafeText
