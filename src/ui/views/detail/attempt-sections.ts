import { ours } from '../../../domain/words/safe-text.ts'
import type { TaskDetail } from '../../../operations/tasks/detail.ts'
import type { Line } from '../../../../components/Lines.tsx'
import { moment, paragraph, usageWords, written } from '../../rows/lines.ts'
import type { ConsoleState } from '../../core/state.ts'
import { upTo } from './section.ts'
import type { DetailSection } from './state.ts'
import { commonText } from '../../../text/common.ts'
import { taskText } from '../../../text/tasks.ts'

type AttemptView = TaskDetail['attempts'][number]

export const attemptsSection = (
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

export const commitsSection = (
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
