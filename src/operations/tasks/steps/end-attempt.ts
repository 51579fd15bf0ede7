import { revokeRunToken, selectAgent } from '../../../db/agents.ts'
import { endAttempt } from '../../../db/attempts.ts'
import { forgetAsked } from '../../../db/costs.ts'
import { together } from '../../../db/engine/db.ts'
import { withdrawRequests } from '../../../db/requests.ts'
import type { AgentRow } from '../../../db/schema/agents.ts'
import type { AttemptOutcome, TaskStatusRow } from '../../../db/schema/tasks.ts'
import { changeStatus, type TaskRow } from '../../../db/tasks.ts'
import { afterFailure, isHeld } from '../../../domain/task/task.ts'
import { duration, later } from '../../../domain/words/time.ts'
import type { Context } from '../../perform/core.ts'
import { recallAround, rememberWithoutRun } from '../../memory/attempts.ts'
import { note, changeHeld, leaseLost } from './task-steps.ts'

/** Ends the attempt as completed, by its agent if that is known. Returns the task's row as it is now. */
export const completeHeld = async (
  context: Context,
  task: TaskRow,
  result: { data: string | null; artifacts: string | null },
  agent?: AgentRow,
): Promise<TaskRow> => {
  const { now } = context
  const [completed] = await together(
    changeHeld(context, task, {
      status: 'completed',
      started_at: task.started_at ?? now,
      completed_at: now,
      lease_expires_at: null,
      result_data: result.data,
      ...(result.artifacts === null ? {} : { artifacts: result.artifacts }),
      progress_percent: 100,
      error_message: null,
    }),
    forgetAsked(context.db, task.id),
    close(context, { ...task, result_data: result.data }, 'completed', null, agent),
  )
  return completed
}

/** Ends the attempt as failed: another follows after its delay (seed 000: 30 s, 60 s) while retries are left. */
export const failHeld = async (context: Context, task: TaskRow, error: string, agent?: AgentRow): Promise<void> => {
  const { now, settings } = context
  const maxRetries = task.max_retries ?? settings.session.maxRetries
  const next = afterFailure(task.retry_count, maxRetries)
  if (next.retry) {
    await changeHeld(context, task, {
      ...pendingAgain,
      retry_count: next.retryCount,
      not_before: later(now, next.delay),
      error_message: error,
    })
    await note(
      context,
      task,
      'error',
      `${error} (attempt ${task.attempt} failed; retry ${next.retryCount} of ${maxRetries} in ${duration(next.delay)})`,
    )
  } else {
    await changeHeld(context, task, failed(context, error))
    await note(context, task, 'error', `${error} (attempt ${task.attempt} failed; no retries left)`)
  }
  await close(context, task, 'failed', error, agent)
}

/** Cancels a task; a held one loses its agent. */
export const cancelTask = async (context: Context, task: TaskRow, reason: string | null): Promise<void> => {
  const change: Partial<TaskStatusRow> = {
    status: 'cancelled',
    completed_at: context.now,
    lease_expires_at: null,
    not_before: null,
    error_message: reason,
    changed_at: context.now,
  }
  const changed = await changeStatus(context.db, task.id, { status: task.status, attempt: task.attempt }, change)
  if (!changed) throw leaseLost(task)
  await together(
    forgetAsked(context.db, task.id),
    isHeld(task.status) ? close(context, task, 'cancelled', reason) : undefined,
  )
}

export const pendingAgain = {
  status: 'pending',
  assigned_agent_id: null,
  lease_expires_at: null,
  claimed_at: null,
  started_at: null,
  progress_percent: null,
} as const

export const failed = ({ now }: Context, error: string) =>
  ({ status: 'failed', completed_at: now, lease_expires_at: null, error_message: error }) as const

/** The end of an attempt ends everything issued for it: the run's token, and its requests to a person. */
export const close = async (
  context: Context,
  task: TaskRow,
  outcome: AttemptOutcome,
  error: string | null,
  known?: AgentRow,
): Promise<void> => {
  const { db, now } = context
  // Without a worktree there is no branch in which to look for commits.
  const ended = endAttempt(db, task.id, task.attempt, {
    outcome,
    ended_at: now,
    error,
    commits_recorded: task.target_worktree === null ? 1 : 0,
  })
  if (task.assigned_agent_id === null) return void (await ended)
  const bySelf = known?.process === 'none'
  const [attempt, , , agent, around] = await together(
    ended,
    bySelf ? undefined : revokeRunToken(db, task.assigned_agent_id, task.id),
    withdrawRequests(db, task.assigned_agent_id, task.id, now),
    known ?? selectAgent(db, task.assigned_agent_id),
    bySelf && task.claimed_at !== null
      ? recallAround(db, { ...task, agent_id: known.id, claimed_at: task.claimed_at })
      : undefined,
  )
  // The answer of a process that aiswarm started is stored at the end of its run; for a self-registered agent this is
  // the last chance.
  if (agent?.process === 'none' && attempt) await rememberWithoutRun(context, agent, attempt, { task, around })
}
