import { ours, type SafeText } from '../../domain/words/safe-text.ts'
import { coarse, duration, elapsed } from '../../domain/words/time.ts'
import { taskSince } from '../../domain/task/status.ts'
import { worktreeSince } from '../../domain/worktree/status.ts'
import type { AgentView } from '../../operations/views/agents.ts'
import type { TaskView } from '../../operations/views/tasks.ts'
import type { WorktreeView } from '../../operations/views/worktrees.ts'
import type { BoardState } from '../../../components/base/look.ts'
import { boardState } from './board-row.ts'
import { estimateOf } from './running.ts'
import { reasonOfTask, sinceOfAgent } from './reasons.ts'
import type { ConsoleState } from '../core/state.ts'
import { rowText } from '../../text/states.ts'

// The reason and the duration that a row shows.

/** Rows show durations in minutes, so that an idle row is not drawn again every second. */
export const byTheMinute = (ms: number): string => coarse(ms, duration)

const restful: ReadonlySet<BoardState> = new Set(['claimed', 'completed', 'cancelled'])

/** Text that the column of the state already contains. */
const said = /^(?:failed at [\d:]+[^:]*: |stalled: |waiting: |blocked by [^;]*(?:; |$))/

/** The reason after a task's title on the board, or the estimated time of one in progress. */
export const rowReason = (state: ConsoleState, task: TaskView): SafeText => {
  const asked = state.board.attention.filter((item) => item.taskId === task.id)
  const shown = boardState(task, state.now, asked)
  if (shown === 'in_progress') return ours(estimateOf(state, task))
  if (restful.has(shown)) return ours('')
  const whole = reasonOfTask(state, task, byTheMinute)
  // Nothing blocks it: the next pass starts it.
  if (shown === 'pending' && whole.startsWith('ready')) return ours('')
  const reason = whole.replace(said, '')
  // These states take the column of the time.
  const lasts =
    shown === 'blocked' || shown === 'sleeping'
      ? rowText.lasts(byTheMinute(elapsed(taskSince(task, state.now), state.now)))
      : ''
  return ours([reason, lasts].filter((part) => part !== '').join('; '))
}

/** In seconds for a working agent, otherwise in minutes. */
export const agentTime = (state: ConsoleState, agent: AgentView): SafeText =>
  ours((agent.taskId === null ? byTheMinute : duration)(elapsed(sinceOfAgent(state, agent), state.now)))

export const worktreeTime = (state: ConsoleState, worktree: WorktreeView): SafeText =>
  ours(byTheMinute(elapsed(worktreeSince(worktree), state.now)))
