import { ours } from '../../../domain/words/safe-text.ts'
import type { RelatedTask } from '../../../operations/screens/related-tasks.ts'
import type { Line } from '../../../../components/Lines.tsx'
import { boardLooks, type BoardState } from '../../../../components/base/look.ts'
import { written } from '../../rows/lines.ts'
import { boardState } from '../../rows/tasks.ts'
import { selectedTask, taskOf } from '../../core/selection.ts'
import type { ConsoleState } from '../../core/state.ts'
import { loaded, upTo } from './section.ts'
import { taskText } from '../../../text/tasks.ts'

/** Tasks related to this one, or in a worktree, each with its state. */
export const relatedLines = (state: ConsoleState, width: number): readonly Line[] =>
  loaded(state, 'related', (tasks) =>
    tasks.length === 0
      ? [{ text: ours(taskText.noneRelated), dim: true }]
      : upTo(tasks, (task) => {
          const { relation, id, title } = task
          const { mark, word, colour } = boardLooks[stateOf(state, task)]
          return written(`${title}  ${word}`, width, `${relation.padEnd(11)} ${mark} ${id} `).map((line): Line => ({
            ...line,
            colour,
          }))
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
  return relation === 'needed by' && status === 'pending' && selectedTask(state)?.status !== 'completed'
    ? 'blocked'
    : status
}
