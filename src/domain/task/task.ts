import { type Machine, step } from '../rules/state-machine.ts'
import { duration, elapsed, type Instant } from '../words/time.ts'

/** Seed 004's six states. `blocked` is derived (pending with an unmet dependency) and never stored. */
export const taskStates = ['pending', 'claimed', 'in_progress', 'completed', 'failed', 'cancelled'] as const
export type TaskState = (typeof taskStates)[number]

export type TaskVerb = 'claim' | 'start' | 'progress' | 'complete' | 'fail' | 'retry' | 'release' | 'cancel'

/**
 * Seed 004's task lifecycle; a finally failed task can be cancelled too. Reporting progress on a claimed task,
 * completing or failing it also starts it.
 */
export const taskMachine: Machine<TaskState, TaskVerb> = {
  claim: { from: ['pending'], to: 'claimed' },
  start: { from: ['claimed'], to: 'in_progress' },
  progress: { from: ['claimed', 'in_progress'], to: 'in_progress' },
  complete: { from: ['claimed', 'in_progress'], to: 'completed' },
  fail: { from: ['claimed', 'in_progress'], to: 'failed' },
  retry: { from: ['failed'], to: 'pending' },
  release: { from: ['claimed', 'in_progress'], to: 'pending' },
  cancel: { from: ['pending', 'claimed', 'in_progress', 'failed'], to: 'cancelled' },
}

/** The facts about a task that the rules need. */
export interface TaskFacts {
  readonly id: number
  readonly status: TaskState
  readonly assignedAgentId: string | null
  readonly blockedBy: readonly number[]
  readonly notBefore: Instant | null
  /** True while a race of it runs. */
  readonly isRaced?: boolean
  /** Its worktree and the name of a host, while that worktree moves there. */
  readonly moves?: { readonly worktree: string; readonly host: string } | undefined
}

export const isHeld = (status: TaskState): boolean => status === 'claimed' || status === 'in_progress'

/** Completed, failed or cancelled: no agent works on it any more. */
export const isOver = (status: TaskState): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled'

/** The reason why `verb` does not apply to the task now, as one sentence; undefined if it does. */
export const whyNot = (verb: TaskVerb, task: TaskFacts): string | undefined => {
  if (step(taskMachine, verb, task.status)) return verb === 'claim' ? whyBlocked(task) : undefined
  return `${standingOf(task)}; ${advice[verb]}.`
}

/** The reason why a pending task cannot be claimed yet. */
export const whyBlocked = (task: TaskFacts): string | undefined =>
  task.isRaced ? whyRaced(task.id) : (whyMoving(task) ?? whyDependent(task))

/** The reason why a task that is raced cannot be claimed, cancelled or edited. */
export const whyRaced = (id: number): string =>
  `Task ${id} is raced. Pick a racer ('aiswarm task race ${id} --pick WORKTREE'), or end the race with --stop.`

/** A commit that an agent makes while the host of the worktree pushes the branch would not travel. */
const whyMoving = ({ id, moves }: TaskFacts): string | undefined =>
  moves &&
  `Task ${id} belongs in worktree ${moves.worktree}, which moves to host ${moves.host}; it can be claimed when the move has ended.`

const whyDependent = (task: TaskFacts): string | undefined =>
  task.blockedBy.length > 0
    ? `Task ${task.id} is blocked by ${list(task.blockedBy)}; it can be claimed when ${task.blockedBy.length > 1 ? 'they are' : 'it is'} completed.`
    : undefined

/** The reason why a pending task waits for its retry. A person's own claim may skip the wait, an agent's may not. */
export const whyNotDue = (task: TaskFacts, now: Instant): string | undefined =>
  task.notBefore !== null && task.notBefore > now
    ? `Task ${task.id} retries in ${duration(elapsed(now, task.notBefore))}. 'aiswarm task retry ${task.id}' retries it now.`
    : undefined

const advice: Record<TaskVerb, string> = {
  claim: 'only a pending task can be claimed',
  start: 'only a claimed task can be started',
  progress: 'only a claimed task can report progress',
  complete: 'only a claimed task can be completed',
  fail: 'only a claimed task can fail',
  retry: 'only a failed task can be retried',
  release: 'only a claimed task can be released',
  cancel: 'only an unfinished or failed task can be cancelled',
}

/** `Task 7 is in progress with backend-1`. */
export const standingOf = (task: TaskFacts): string => `Task ${task.id} ${standing(task)}`

const standing = (task: TaskFacts): string => {
  if (isHeld(task.status))
    return `is ${task.status === 'claimed' ? 'claimed by' : 'in progress with'} ${task.assignedAgentId}`
  return { pending: 'is pending', completed: 'is completed', failed: 'has failed', cancelled: 'is cancelled' }[
    task.status as 'pending'
  ]
}

const list = (ids: readonly number[]): string =>
  ids.length === 1 ? `task ${ids[0]}` : `tasks ${ids.slice(0, -1).join(', ')} and ${ids.at(-1)}`

/**
 * When a task entered its state. Work counts from the claim: an agent may read or ask for a long time before it reports
 * anything.
 */
export const enteredAt: Record<TaskState, 'changedAt' | 'claimedAt' | 'completedAt'> = {
  pending: 'changedAt',
  claimed: 'claimedAt',
  in_progress: 'claimedAt',
  completed: 'completedAt',
  failed: 'completedAt',
  cancelled: 'completedAt',
}

/** Seed 000: 30 s before the first retry, 60 s before the second; later ones keep the last delay. */
const delays = [30_000, 60_000] as const

/** Milliseconds to wait before retry number `retry` (from 1). */
export const retryDelay = (retry: number): number => delays[Math.min(retry, delays.length) - 1] ?? delays[0]

/**
 * A lost attempt (its agent died or became silent) uses up no retry, but a task that kills every agent must end: after
 * so many lost attempts it fails finally.
 */
export const LOST_ATTEMPTS_LIMIT = 5

/** Milliseconds until an account or service that has failed is tried again: 1, 2, 4, 8 minutes, … up to an hour. */
export const unavailableDelay = (times: number): number => Math.min(60_000 * 2 ** Math.max(0, times - 1), 3_600_000)

/** The consequence of a failed attempt: another one after a delay, or the end. */
export const afterFailure = (
  retryCount: number,
  maxRetries: number,
): { retry: false } | { retry: true; retryCount: number; delay: number } =>
  retryCount >= maxRetries
    ? { retry: false }
    : { retry: true, retryCount: retryCount + 1, delay: retryDelay(retryCount + 1) }

/** The board as columns by state. Claimed tasks are in the column of tasks in progress, with another mark. */
export const boardColumns = ['pending', 'working', 'failed', 'completed', 'cancelled'] as const
export type BoardColumn = (typeof boardColumns)[number]

const columns: Record<TaskState, BoardColumn> = {
  pending: 'pending',
  claimed: 'working',
  in_progress: 'working',
  failed: 'failed',
  completed: 'completed',
  cancelled: 'cancelled',
}

export const columnOf = (status: TaskState): BoardColumn => columns[status]

export const statusesIn = (column: BoardColumn): readonly TaskState[] =>
  (Object.keys(columns) as TaskState[]).filter((status) => columns[status] === column)
