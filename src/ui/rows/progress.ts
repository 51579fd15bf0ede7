import { usualKey } from '../../domain/task/status.ts'
import { ours, type SafeText } from '../../domain/words/safe-text.ts'
import { coarse, duration, elapsed, milliseconds } from '../../domain/words/time.ts'
import type { TaskView } from '../../operations/views/tasks.ts'
import type { WorktreeView } from '../../operations/views/worktrees.ts'
import { rowText } from '../../text/states.ts'
import { type ConsoleState, isMerging } from '../core/state.ts'

// Work in progress: how long it will take, and whether it moves.

/** `~12m left` from past attempts, or that they took less; empty for a task that is not in progress or has no past. */
export const estimateOf = ({ usual, now }: Pick<ConsoleState, 'usual' | 'now'>, task: TaskView): string => {
  const time = usual[usualKey({ personaId: task.personaId, isCommand: task.command !== null })]
  if (task.status !== 'in_progress' || task.startedAt === null || time === undefined) return ''
  const left = time - elapsed(task.startedAt, now)
  return left > 0
    ? rowText.left(coarse(left, duration))
    : rowText.overUsual(time < MINUTE ? duration(time) : coarse(time, duration))
}

const MINUTE = 60_000

/** Output that is not older (ms) counts as a sign of work: processes are observed every two seconds. */
const RECENT = 10_000

/** The mark of work that moves now, one step a second; undefined for an agent whose process is silent or not seen. */
export const agentSpinner = (
  { processes, now }: Pick<ConsoleState, 'processes' | 'now'>,
  agentId: string | null,
): SafeText | undefined => {
  const at = agentId === null ? undefined : processes[agentId]?.lastOutput
  return at !== undefined && at !== null && elapsed(at, now) < RECENT ? spinnerAt(now) : undefined
}

/** As `agentSpinner`, for the verification and the merge of a worktree, which a supervisor runs. */
export const worktreeSpinner = (
  { supervisor, now }: Pick<ConsoleState, 'supervisor' | 'now'>,
  worktree: WorktreeView,
): SafeText | undefined =>
  (supervisor.here || supervisor.pid !== null) && isMerging(worktree) ? spinnerAt(now) : undefined

const spinnerAt = (now: string): SafeText => ours(frames[Math.floor(milliseconds(now) / 1000) % frames.length]!)

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const

// The reason and the duration that a row shows.

/** Rows show durations in minutes, so that an idle row is not drawn again every second. */
export const byTheMinute = (ms: number): string => coarse(ms, duration)
