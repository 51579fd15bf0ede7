import { IN_MAIN_CHECKOUT } from '../../text/panes.ts'
import { ours, safeText, type SafeText } from '../../domain/words/safe-text.ts'
import { taskSince } from '../../domain/task/status.ts'
import { isHeld } from '../../domain/task/task.ts'
import { clockMinute, coarse, duration, elapsed, type Instant } from '../../domain/words/time.ts'
import type { TaskView } from '../../operations/views/tasks.ts'
import type { Attention } from '../../operations/screens/attention.ts'
import type { BoardRow } from '../../../components/Board.tsx'
import { boardLooks, type BoardState } from '../../../components/base/look.ts'
import { rowText } from '../../text/states.ts'

// The contents of a row of the board. Only visible rows are created.

export const boardRow = (
  task: TaskView,
  now: Instant,
  attention: readonly Attention[],
  selected: boolean,
): BoardRow => {
  const asked = attention.filter((item) => item.taskId === task.id)
  const state = boardState(task, now, asked)
  return {
    id: task.id,
    priority: task.priority,
    state,
    says: saysOf(state, task, now),
    percent: state === 'in_progress' ? task.progressPercent : null,
    time: ours(state === 'waiting' ? duration(elapsed(now, task.notBefore!)) : since(task, now, asked)),
    agent:
      task.assignedAgentId !== null
        ? safeText(task.assignedAgentId)
        : state === 'sleeping'
          ? safeText(rowText.quotaOf(task.sleep!.kind))
          : ours('–'),
    title: titleOf(task),
    asks: asked.length > 0,
    selected,
  }
}

export const boardState = (task: TaskView, now: Instant, asked: readonly Attention[]): BoardState => {
  if (asked.some((item) => item.kind === 'permission' || item.kind === 'question')) return 'asks'
  if (asked.some((item) => item.kind === 'budget')) return 'spent'
  if (asked.some((item) => item.kind === 'stalled')) return 'stalled'
  if (task.status !== 'pending') return task.status
  if (task.blockedBy.length > 0) return 'blocked'
  if (asked.some((item) => item.kind === 'command')) return 'asking'
  if (task.sleep !== null && task.sleep.until > now) return 'sleeping'
  return task.notBefore !== null && task.notBefore > now ? 'waiting' : 'pending'
}

const saysOf = (state: BoardState, task: TaskView, now: Instant): SafeText => {
  if (state === 'sleeping') return ours(rowText.sleepsUntil(clockMinute(task.sleep!.until, now)))
  if (state === 'blocked') return ours(rowText.blockedBy(task.blockedBy, 3))
  if (state === 'waiting') return ours(rowText.retryIn)
  if (state === 'in_progress' && task.progressPercent !== null) return ours(rowText.working(task.progressPercent))
  return ours(boardLooks[state].word)
}

/** The beginning of the shown state: an agent that is stalled or asks has been so for less time than it has worked. */
export const boardSince = (task: TaskView, now: Instant, asked: readonly Attention[]): Instant => {
  const kinds = waitsBy[boardState(task, now, asked)] ?? []
  return asked.find(({ kind }) => kinds.includes(kind))?.since ?? taskSince(task, now)
}

const waitsBy: Partial<Record<BoardState, readonly Attention['kind'][]>> = {
  asks: ['permission', 'question'],
  spent: ['budget'],
  stalled: ['stalled'],
}

/**
 * The time in its state: in seconds for a task in progress, otherwise in minutes, so that a quiet board is not drawn
 * again.
 */
const since = (task: TaskView, now: Instant, asked: readonly Attention[]): string => {
  const ms = elapsed(boardSince(task, now, asked), now)
  return isHeld(task.status) ? duration(ms) : coarse(ms, duration)
}

/** Unchanged views stay the same objects, so their text is made safe once. */
const titles = new WeakMap<TaskView, SafeText>()

const titleOf = (task: TaskView): SafeText => {
  const known = titles.get(task)
  if (known !== undefined) return known
  const title = safeText(worksInMain(task) ? `${IN_MAIN_CHECKOUT} ${task.title}` : task.title)
  titles.set(task, title)
  return title
}

/** True for an agent that works in the person's own checkout. A shell command does so on purpose. */
const worksInMain = ({ status, command, targetWorktree, folder }: TaskView): boolean =>
  (status === 'claimed' || status === 'in_progress') && command === null && targetWorktree === null && folder === null
