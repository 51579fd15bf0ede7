import { ours, safeText } from '../../../domain/words/safe-text.ts'
import type { TaskView } from '../../../operations/views/views.ts'
import type { RelatedTask } from '../../../operations/screens/read-related-tasks.ts'
import type { Line } from '../../../../components/Lines.tsx'
import { boardLooks, type BoardState, logLooks } from '../../../../components/base/look.ts'
import { moment, paragraph, usageWords, widthIn, written } from '../../rows/lines.ts'
import { boardState } from '../../rows/pane-rows.ts'
import { selectedTask, taskOf } from '../../core/selection.ts'
import type { ConsoleState } from '../../core/state.ts'
import { loaded, text, upTo } from './section.ts'
import type { DetailSection } from './state.ts'
import { commonText } from '../../../text/common.ts'
import { taskText } from '../../../text/detail.ts'

// The facts about a task in addition to those at the top.

export const taskSections = (state: ConsoleState, task: TaskView): readonly DetailSection[] => {
  const width = widthIn(state)
  const detail = state.detail?.id === task.id ? state.detail : null
  const attempts = detail?.attempts ?? []
  const commits = attempts.flatMap((attempt) => attempt.commits.map((commit) => ({ ...commit, attempt: attempt.attempt })))
  const met = task.acceptanceCriteria.filter((criterion) => criterion.met).length
  const related = task.dependencies.length + (detail?.dependents.length ?? 0) + (detail?.children.length ?? 0)
  return [
    ...text('command', taskText.command, task.command, width),
    ...text('error', taskText.error, task.errorMessage, width, 'red'),
    ...text('description', taskText.description, task.description, width),
    ...(task.acceptanceCriteria.length === 0
      ? []
      : [
          {
            id: 'criteria',
            title: taskText.criteria,
            note: taskText.met(met, task.acceptanceCriteria.length),
            lines: () => upTo(task.acceptanceCriteria, (criterion) => written(criterion.text, width, criterion.met ? '✓ ' : '○ ')),
          },
        ]),
    ...(related === 0 ? [] : [{ id: 'dependencies', title: taskText.related, note: String(related), part: 'related' as const, lines: () => relatedLines(state, width) }]),
    ...(attempts.length === 0
      ? []
      : [
          {
            id: 'attempts',
            title: taskText.attemptList,
            note: String(attempts.length),
            lines: () =>
              upTo(attempts, (attempt) => [
                ...paragraph(
                  `${attempt.attempt}. ${attempt.agentId} ${moment(state, attempt.claimedAt)}${attempt.endedAt === null ? '' : `–${moment(state, attempt.endedAt)}`} ${attempt.outcome ?? commonText.underWay}${usageWords(attempt)}`,
                  width,
                ),
                ...(attempt.error === null ? [] : written(attempt.error, width - 3).map((line): Line => ({ ...line, text: ours(`   ${line.text}`), colour: 'red' }))),
              ]),
          },
        ]),
    ...(commits.length === 0
      ? []
      : [
          {
            id: 'commits',
            title: taskText.commits,
            note: String(commits.length),
            lines: () =>
              upTo(commits, ({ oid, subject, author, committedAt, attempt }) =>
                written(taskText.commit(oid.slice(0, 8), subject, author, moment(state, committedAt), attempt), width),
              ),
          },
        ]),
    ...text('result', taskText.result, task.resultData === null ? null : typeof task.resultData === 'string' ? task.resultData : JSON.stringify(task.resultData, null, 2), width),
    ...(task.artifacts.length === 0
      ? []
      : [{ id: 'artifacts', title: taskText.artifacts, note: String(task.artifacts.length), lines: () => upTo(task.artifacts, (path) => [{ text: safeText(path) }]) }]),
    { id: 'logs', title: taskText.notes, part: 'notes' as const, lines: () => logLines(state, task.assignedAgentId ?? attempts.at(-1)?.agentId ?? null, width) },
  ]
}

/** Tasks related to this one, or in a worktree, each with its state. */
export const relatedLines = (state: ConsoleState, width: number): readonly Line[] =>
  loaded(state, 'related', (tasks) =>
    tasks.length === 0
      ? [{ text: ours(taskText.noneRelated), dim: true }]
      : upTo(tasks, (task) => {
          const { relation, id, title } = task
          const { mark, word, colour } = boardLooks[stateOf(state, task)]
          return written(`${title}  ${word}`, width, `${relation.padEnd(11)} ${mark} ${id} `).map((line): Line => ({ ...line, colour }))
        }),
  )

/**
 * The state on the board, if it was loaded; otherwise derived from the relation: a task with an unfinished dependency
 * is blocked.
 */
const stateOf = (state: ConsoleState, { relation, id, status }: RelatedTask): BoardState => {
  const known = taskOf(state, id)
  const asked = state.board.attention.filter((item) => item.taskId === id)
  if (known) return boardState(known, state.now, asked)
  return relation === 'needed by' && status === 'pending' && selectedTask(state)?.status !== 'completed' ? 'blocked' : status
}

/** Lines of output that are shown; the log pane and the logs of all agents have the earlier ones. */
const PRINTED = 200

/** The notes about it, then the output of its present or last agent. */
const logLines = (state: ConsoleState, agent: string | null, width: number): readonly Line[] =>
  loaded(state, 'notes', (notes) => {
    // The log pane has another subject unless the detail was opened from the board.
    const printed = state.view.about === 'board' && agent !== null ? state.log.filter(({ look }) => look === 'output') : []
    if (notes.length === 0 && printed.length === 0) return [{ text: ours(taskText.noNotes), dim: true }]
    return [
      ...upTo(notes, ({ loggedAt, level, agentId, message, percent }) =>
        written(`${message}${percent === null ? '' : ` (${percent}%)`}`, width, `${moment(state, loggedAt)} ${level.padEnd(5)} ${agentId}  `).map((line): Line => ({
          ...line,
          colour: level === 'info' ? undefined : logLooks[level].colour,
        })),
      ),
      ...(printed.length === 0 ? [] : [{ text: ours(taskText.printedBy(safeText(agent!), Math.min(PRINTED, printed.length), printed.length)), dim: true }]),
      ...printed.slice(-PRINTED).flatMap(({ text }) => written(text, width)),
    ]
  })
