import { ours, safeText } from '../../../domain/words/safe-text.ts'
import { changedLines, changeWords } from '../../../domain/task/edits.ts'
import type { TaskView } from '../../../operations/views/tasks.ts'
import type { Line } from '../../../../components/Lines.tsx'
import { logLooks } from '../../../../components/base/look.ts'
import { moment, widthIn, written } from '../../rows/lines.ts'
import type { ConsoleState } from '../../core/state.ts'
import { attemptsSection, commitsSection } from './attempt-sections.ts'
import { relatedLines } from './related-lines.ts'
import { loaded, text, upTo } from './section.ts'
import type { DetailSection } from './state.ts'
import { taskText } from '../../../text/tasks.ts'

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
