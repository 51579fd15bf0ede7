import type { Line } from '../../../../components/Lines.tsx'
import { boardLooks, logLooks } from '../../../../components/base/look.ts'
import { budgetWords, sleepWords, usedWords } from '../../../domain/budget/budget.ts'
import { changedLines, changeWords } from '../../../domain/task/edits.ts'
import { metadataOf, wishOf } from '../../../domain/task/metadata.ts'
import { ours, safeText } from '../../../domain/words/safe-text.ts'
import { duration } from '../../../domain/words/time.ts'
import { OWN_WORKTREE } from '../../../domain/worktree/worktree.ts'
import type { TaskDetail } from '../../../operations/tasks/detail.ts'
import type { TaskView } from '../../../operations/views/tasks.ts'
import { commonText } from '../../../text/common.ts'
import { taskText } from '../../../text/tasks.ts'
import type { ConsoleState } from '../../core/state.ts'
import { shownKey } from '../../keys/bindings.ts'
import { fact, longFact, moment, paragraph, usageWords, widthIn, written } from '../../rows/lines.ts'
import { estimateOf } from '../../rows/progress.ts'
import { boardSince, boardState, reasonOfTask } from '../../rows/tasks.ts'
import { type DetailSection, loaded, relatedLines, standing, text, type Titled, upTo } from './sections.ts'

// The facts at the top of a task's detail; its sections follow them.

export const taskLines = (state: ConsoleState, task: TaskView): Titled => {
  const width = widthIn(state)
  const detail = state.detail?.id === task.id ? state.detail : null
  const asked = state.board.attention.filter((item) => item.taskId === task.id)
  const look = boardLooks[boardState(task, state.now, asked)]
  return [
    safeText(taskText.title(task.id)),
    [
      { text: safeText(task.title), bold: true, theirs: true },
      ...(task.sleep === null
        ? []
        : paragraph(taskText.wakes(sleepWords(task.sleep, state.now), shownKey(state, 'retry')), width)),
      standing(look, task.blockedBy.length > 0 ? taskText.blockedBy(task.blockedBy) : ''),
      ...paragraph(reasonOfTask(state, task, duration, boardSince(task, state.now, asked)), width),
      ...fact(taskText.facts.persona, task.personaId),
      ...fact(taskText.facts.priority, task.priority),
      ...fact(taskText.facts.agent, task.assignedAgentId),
      ...longFact(taskText.facts.worktree, task.targetWorktree ?? placeOf(task), width),
      ...longFact(taskText.facts.wishes, wishOf(task), width),
      ...fact(taskText.facts.attempt, task.attempt > 0 ? taskText.attempts(task.attempt, task.retryCount) : null),
      ...fact(taskText.facts.progress, task.progressPercent === null ? null : `${task.progressPercent}%`),
      ...fact(taskText.facts.estimate, estimateOf(state, task)),
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

const placeOf = ({ metadata }: TaskView): string =>
  metadataOf(JSON.stringify(metadata ?? null))['worktree'] === OWN_WORKTREE
    ? taskText.ownWorktree
    : taskText.repositoryRoot

const list = (ids: readonly number[]): string | null => (ids.length > 0 ? ids.join(', ') : null)

// The facts about a task in addition to those at the top.

export const taskSections = (state: ConsoleState, task: TaskView): readonly DetailSection[] => {
  const width = widthIn(state)
  const detail = state.detail?.id === task.id ? state.detail : null
  const attempts = detail?.attempts ?? []
  const related = task.dependencies.length + (detail?.dependents.length ?? 0) + (detail?.children.length ?? 0)
  return [
    ...text('error', taskText.error, task.errorMessage, width, 'red'),
    ...text('description', taskText.description, task.description, width),
    ...criteriaSection(task, width),
    ...text('command', taskText.command, task.command, width),
    ...(related === 0
      ? []
      : [
          {
            id: 'dependencies',
            title: taskText.related,
            note: String(related),
            part: 'related' as const,
            lines: () => relatedLines(state, width),
          },
        ]),
    ...attemptsSection(state, attempts, width),
    ...commitsSection(state, attempts, width),
    ...text(
      'result',
      taskText.result,
      task.resultData === null
        ? null
        : typeof task.resultData === 'string'
          ? task.resultData
          : JSON.stringify(task.resultData, null, 2),
      width,
    ),
    ...(task.artifacts.length === 0
      ? []
      : [
          {
            id: 'artifacts',
            title: taskText.artifacts,
            note: String(task.artifacts.length),
            lines: () => upTo(task.artifacts, (path) => [{ text: safeText(path) }]),
          },
        ]),
    { id: 'history', title: taskText.history, part: 'history' as const, lines: () => historyLines(state, width) },
    {
      id: 'logs',
      title: taskText.notes,
      part: 'notes' as const,
      lines: () => logLines(state, task.assignedAgentId ?? attempts.at(-1)?.agentId ?? null, width),
    },
  ]
}

const criteriaSection = ({ acceptanceCriteria: criteria }: TaskView, width: number): readonly DetailSection[] =>
  criteria.length === 0
    ? []
    : [
        {
          id: 'criteria',
          title: taskText.criteria,
          note: taskText.met(criteria.filter(({ met }) => met).length, criteria.length),
          lines: () => upTo(criteria, (criterion) => written(criterion.text, width, criterion.met ? '✓ ' : '○ ')),
        },
      ]

/** Who changed it, when, and what. */
const historyLines = (state: ConsoleState, width: number): readonly Line[] =>
  loaded(state, 'history', (entries) =>
    upTo(entries, ({ at, actor, did, changes }) => [
      ...written(`${actor}  ${taskText.did[did]}`, width, `${moment(state, at)} `),
      ...changes.flatMap((change) => [
        ...written(changeWords(change), width, CHANGE),
        ...changedLines(change).flatMap((line) =>
          written(line, width, `${CHANGE}  `).map((drawn): Line => ({
            ...drawn,
            colour: line.startsWith('+') ? 'green' : 'red',
          })),
        ),
      ]),
    ]),
  )

/** The changes are below the person who made them. */
const CHANGE = '    '

/** Lines of output that are shown; the log pane and the logs of all agents have the earlier ones. */
const PRINTED = 200

/** The notes about it, then the output of its present or last agent. */
const logLines = (state: ConsoleState, agent: string | null, width: number): readonly Line[] =>
  loaded(state, 'notes', (notes) => {
    // The log pane has another subject unless the detail was opened from the board.
    const printed =
      state.view.about === 'board' && agent !== null ? state.log.filter(({ look }) => look === 'output') : []
    if (notes.length === 0 && printed.length === 0) return [{ text: ours(taskText.noNotes), dim: true }]
    return [
      ...upTo(notes, ({ loggedAt, level, agentId, message, percent }) =>
        written(
          `${message}${percent === null ? '' : ` (${percent}%)`}`,
          width,
          `${moment(state, loggedAt)} ${level.padEnd(5)} ${agentId}  `,
        ).map((line): Line => ({
          ...line,
          colour: level === 'info' ? undefined : logLooks[level].colour,
        })),
      ),
      ...(printed.length === 0
        ? []
        : [
            {
              text: ours(taskText.printedBy(safeText(agent!), Math.min(PRINTED, printed.length), printed.length)),
              dim: true,
            },
          ]),
      ...printed.slice(-PRINTED).flatMap(({ text }) => written(text, width)),
    ]
  })

type AttemptView = TaskDetail['attempts'][number]

const attemptsSection = (
  state: ConsoleState,
  attempts: readonly AttemptView[],
  width: number,
): readonly DetailSection[] =>
  attempts.length === 0
    ? []
    : [
        {
          id: 'attempts',
          title: taskText.attemptList,
          note: String(attempts.length),
          lines: () => upTo(attempts, (attempt) => attemptLines(state, attempt, width)),
        },
      ]

/** An attempt: its agent, its times, its outcome and its usage, then its error. */
const attemptLines = (state: ConsoleState, attempt: AttemptView, width: number): readonly Line[] => [
  ...paragraph(
    `${attempt.attempt}. ${attempt.agentId} ${moment(state, attempt.claimedAt)}${attempt.endedAt === null ? '' : `–${moment(state, attempt.endedAt)}`} ${attempt.outcome ?? commonText.underWay}${usageWords(attempt)}`,
    width,
  ),
  ...(attempt.error === null
    ? []
    : written(attempt.error, width - 3).map((line): Line => ({
        ...line,
        text: ours(`   ${line.text}`),
        colour: 'red',
      }))),
]

const commitsSection = (
  state: ConsoleState,
  attempts: readonly AttemptView[],
  width: number,
): readonly DetailSection[] => {
  const commits = attempts.flatMap((attempt) =>
    attempt.commits.map((commit) => ({ ...commit, attempt: attempt.attempt })),
  )
  if (commits.length === 0) return []
  return [
    {
      id: 'commits',
      title: taskText.commits,
      note: String(commits.length),
      lines: () =>
        upTo(commits, ({ oid, subject, author, committedAt, attempt }) =>
          written(taskText.commit(oid.slice(0, 8), subject, author, moment(state, committedAt), attempt), width),
        ),
    },
  ]
}
