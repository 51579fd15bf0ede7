import { setClaimDeadlines, setDeadline } from '../../../db/leases.ts'
import { together } from '../../../db/engine/db.ts'
import { setAgent } from '../../../db/agents.ts'
import { insertAttempt, startAttempt } from '../../../db/attempts.ts'
import type { AgentRow } from '../../../db/schema/agents.ts'
import type { TaskStatusRow } from '../../../db/schema/tasks.ts'
import { insertTaskLog } from '../../../db/task-logs.ts'
import { changeStatus, type TaskRow } from '../../../db/tasks.ts'
import { Refusal } from '../../../domain/rules/refusal.ts'
import { isHeld } from '../../../domain/task/task.ts'
import { later } from '../../../domain/words/time.ts'
import type { Context } from '../../perform/core.ts'

// State changes of a task that several operations share. Each is a compare-and-set that names (task, attempt, agent); a
// change that finds nothing to change is the refusal lease_lost, never a success.

/**
 * Claims a pending task for an agent: a new attempt, a new fence, a lease. The caller has checked whyNot. Returns the row
 * as it is now.
 */
export const claimFor = async (context: Context, task: TaskRow, agent: AgentRow): Promise<TaskRow> => {
  const { db, now, settings } = context
  const attempt = task.attempt + 1
  const change = {
    status: 'claimed',
    assigned_agent_id: agent.id,
    attempt,
    claimed_at: now,
    started_at: null,
    completed_at: null,
    not_before: null,
    progress_percent: null,
    progressed_at: null,
    error_message: null,
    lease_expires_at: later(now, settings.lease.ttl),
    changed_at: now,
  } as const
  const changed = changeStatus(db, task.id, { status: 'pending', attempt: task.attempt }, change)
  await together(
    changed.then((won) => {
      if (!won) throw new Refusal('already_claimed', `Task ${task.id} was claimed by another agent.`)
    }),
    setClaimDeadlines(db, { taskId: task.id, agentId: agent.id }, context.tick, settings.lease.ttl),
    insertAttempt(db, { task_id: task.id, attempt, agent_id: agent.id, claimed_at: now }),
    setAlive(context, agent),
  )
  return { ...task, ...change }
}

/** Starts a claimed task; changes nothing if it is already in progress. */
export const startHeld = async (context: Context, task: TaskRow): Promise<void> => {
  if (task.status !== 'claimed') return
  await changeHeld(context, task, { status: 'in_progress', started_at: context.now })
  await startAttempt(context.db, task.id, task.attempt, context.now)
}

/** Adds a line of the acting agent or person to the task's log. */
export const note = async (
  { db, now, actor }: Context,
  task: TaskRow,
  level: 'info' | 'warn' | 'error',
  message: string,
): Promise<void> => {
  await insertTaskLog(db, {
    task_id: task.id,
    agent_id: task.assigned_agent_id ?? actor.id,
    level,
    message,
    attempt: task.attempt,
    percent: null,
    logged_at: now,
  })
}

/** Records that the caller is alive: an offline agent is back, an idle one is active. */
export const signOfLife = async ({ db, now, tick, settings }: Context, agent: AgentRow): Promise<void> => {
  await together(setDeadline(db, 'agent', agent.id, tick, settings.lease.ttl), setAlive({ db, now }, agent))
}

const setAlive = ({ db, now }: Pick<Context, 'db' | 'now'>, agent: AgentRow): Promise<void> =>
  setAgent(db, agent.id, {
    last_heartbeat: now,
    ...(agent.status === 'terminated' ? {} : { status: 'active' as const }),
  })

/** Changes the state of a held task. Returns the row as it is now. */
export const changeHeld = async (
  { db, now }: Context,
  task: TaskRow,
  change: Partial<TaskStatusRow>,
): Promise<TaskRow> => {
  const expected = {
    status: task.status,
    attempt: task.attempt,
    ...(task.assigned_agent_id === null ? {} : { agentId: task.assigned_agent_id }),
  }
  if (!isHeld(task.status) || !(await changeStatus(db, task.id, expected, { ...change, changed_at: now })))
    throw leaseLost(task)
  return { ...task, ...change, changed_at: now }
}

export const leaseLost = (task: TaskRow): Refusal =>
  new Refusal(
    'lease_lost',
    `Attempt ${task.attempt} no longer holds task ${task.id}. Stop working on it, and request tasks again.`,
  )
