import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import { revokeRunToken, selectAgent, setAgent } from '../../db/agents.ts'
import { endAttempt, hasAttempted, insertAttempt, selectAttempts, startAttempt } from '../../db/attempts.ts'
import { forgetAsked } from '../../db/costs.ts'
import { type Db, together } from '../../db/engine/db.ts'
import { setClaimDeadlines, setDeadline } from '../../db/leases.ts'
import { withdrawRequests } from '../../db/requests.ts'
import type { AgentRow } from '../../db/schema/agents.ts'
import type { AttemptOutcome, TaskStatusRow } from '../../db/schema/tasks.ts'
import { insertTaskLog } from '../../db/task-logs.ts'
import { changeStatus, replaceMissingArtifacts, selectTask, selectTasks, type TaskRow } from '../../db/tasks.ts'
import { checkActsAs } from '../../domain/agent/actor.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { endedAmong, type EndedTask } from '../../domain/settings/hooks.ts'
import {
  afterFailure,
  isHeld,
  LOST_ATTEMPTS_LIMIT,
  type TaskVerb,
  unavailableDelay,
  whyNot,
} from '../../domain/task/task.ts'
import { someOf } from '../../domain/words/counts.ts'
import { duration, type Instant, later } from '../../domain/words/time.ts'
import { recallAround, rememberWithoutRun } from '../memory/attempts.ts'
import type { Context } from '../perform/core.ts'
import { findLiveAgent, findTaskFacts } from '../perform/find.ts'
import { lazyObject } from '../perform/schemas.ts'

// The life of an attempt: claimed, started, held by a lease, and completed, failed, cancelled or released.

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
const changeHeld = async ({ db, now }: Context, task: TaskRow, change: Partial<TaskStatusRow>): Promise<TaskRow> => {
  const expected = {
    status: task.status,
    attempt: task.attempt,
    ...(task.assigned_agent_id === null ? {} : { agentId: task.assigned_agent_id }),
  }
  if (!isHeld(task.status) || !(await changeStatus(db, task.id, expected, { ...change, changed_at: now })))
    throw leaseLost(task)
  return { ...task, ...change, changed_at: now }
}

const leaseLost = (task: TaskRow): Refusal =>
  new Refusal(
    'lease_lost',
    `Attempt ${task.attempt} no longer holds task ${task.id}. Stop working on it, and request tasks again.`,
  )

/**
 * Finds the task that an agent claims to hold, and the agent. Refuses if the state does not allow `verb`, if another
 * agent holds the task, or if the attempt has ended (`attempt`, if the caller names it).
 */
export const findHeld = async (
  context: Context,
  verb: TaskVerb,
  taskId: number,
  agentId: string | undefined,
  attempt?: number,
): Promise<{ task: TaskRow; agent: AgentRow }> => {
  const { db, actor } = context
  const id = agentId ?? (actor.kind === 'agent' ? actor.id : undefined)
  if (id !== undefined) checkActsAs(actor, id)
  const [{ task, facts }, named] = await together(
    findTaskFacts(db, taskId),
    id === undefined ? undefined : selectAgent(db, id),
  )
  const why = whyNot(verb, facts)
  const holder = task.assigned_agent_id
  if (id !== undefined && isHeld(task.status) && holder !== id) {
    await findLiveAgent(db, id)
    throw new Refusal(
      'lease_lost',
      `Agent ${id} does not hold task ${taskId}; ${holder} does, in attempt ${task.attempt}.`,
    )
  }
  if (why !== undefined) throw new Refusal((await wasHeldBy(context, task, id)) ? 'lease_lost' : 'invalid_state', why)
  if (attempt !== undefined && attempt !== task.attempt)
    throw new Refusal(
      'lease_lost',
      `Attempt ${attempt} of task ${taskId} has ended; attempt ${task.attempt} holds it now. Stop working on it, and request tasks again.`,
    )
  const agent = named ?? (await selectAgent(db, holder!))
  return { task, agent: agent! }
}

/** True if the agent once held the task and lost it: the refusal then has its own code. */
const wasHeldBy = async ({ db }: Context, task: TaskRow, agentId: string | undefined): Promise<boolean> =>
  agentId !== undefined && task.status === 'pending' && (await hasAttempted(db, task.id, agentId))

/** The task and its agent if exactly this attempt still holds it; a file of another attempt is ignored. */
export const findHolding = async (
  { db }: Context,
  { taskId, agentId, attempt }: { readonly taskId: number; readonly agentId: string; readonly attempt: number },
): Promise<{ task: TaskRow; agent: AgentRow } | undefined> => {
  const task = await selectTask(db, taskId)
  if (!task || !isHeld(task.status) || task.assigned_agent_id !== agentId || task.attempt !== attempt) return undefined
  return { task, agent: (await selectAgent(db, agentId))! }
}

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

const pendingAgain = {
  status: 'pending',
  assigned_agent_id: null,
  lease_expires_at: null,
  claimed_at: null,
  started_at: null,
  progress_percent: null,
} as const

const failed = ({ now }: Context, error: string) =>
  ({ status: 'failed', completed_at: now, lease_expires_at: null, error_message: error }) as const

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

/** The end of an attempt ends everything issued for it: the run's token, and its requests to a person. */
const close = async (
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

/**
 * Makes a held task pending again without using up a retry: its agent died, was stopped, never started, or could not
 * work for a reason outside of the task. A task that loses agent after agent fails finally.
 */
export const releaseHeld = async (
  context: Context,
  task: TaskRow,
  release: { outcome: 'lost' | 'terminated' | 'not_started'; why: string } | Unavailable,
): Promise<void> => {
  const { db } = context
  const { outcome, why } = release
  const alike = counted.has(outcome)
    ? (await selectAttempts(db, task.id)).filter((attempt) => attempt.outcome === outcome).length + 1
    : 0
  if (alike >= LOST_ATTEMPTS_LIMIT && !('resetsAt' in release && release.resetsAt !== null)) {
    await changeHeld(
      context,
      task,
      failed(
        context,
        `${why} This was the ${alike}th attempt that ${outcome === 'lost' ? 'was lost' : 'ended this way'}.`,
      ),
    )
  } else {
    await changeHeld(context, task, {
      ...pendingAgain,
      not_before: dueAfter(context, release, alike),
      error_message: why,
    })
  }
  await note(context, task, 'warn', why)
  await close(context, task, outcome, why)
}

/** The agent's account or service failed; `resetsAt` is when it works again, if known. */
interface Unavailable {
  readonly outcome: 'unavailable'
  readonly why: string
  readonly resetsAt: Instant | null
}

/** Outcomes that end a task if they repeat. */
const counted: ReadonlySet<string> = new Set(['lost', 'unavailable'])

/** A program that cannot be started, or an account that cannot be used, is not retried at once. */
const dueAfter = ({ now }: Context, release: { outcome: string } | Unavailable, alike: number): Instant | null => {
  if ('resetsAt' in release)
    return release.resetsAt !== null && release.resetsAt > now ? release.resetsAt : later(now, unavailableDelay(alike))
  return release.outcome === 'not_started' ? later(now, 30_000) : null
}

/** A task that an operation has ended; not one that will be retried. */
export const endedTask = lazyObject(() => ({
  taskId: z.int(),
  attempt: z.int(),
  status: z.enum(['completed', 'failed']),
}))

/** The tasks that have ended among those that an operation has just released, for its event. */
export const endedOf = async (db: Db, ids: readonly number[]): Promise<EndedTask[]> =>
  ids.length === 0 ? [] : endedAmong(await selectTasks(db, { ids }))

/** A task that will be retried, and the earliest time. */
export const waitingTask = lazyObject(() => ({ taskId: z.int(), until: z.string() }))
export type WaitingTask = z.output<ReturnType<typeof waitingTask>>

/** Those that wait for their retry now; after the retry only the event tells until when they waited. */
export const waitingAmong = (
  tasks: readonly { readonly id: number; readonly status: string; readonly notBefore: string | null }[],
): WaitingTask[] =>
  tasks.flatMap(({ id, status, notBefore }) =>
    status === 'pending' && notBefore !== null ? [{ taskId: id, until: notBefore }] : [],
  )

export const waitingOf = async (db: Db, ids: readonly number[]): Promise<WaitingTask[]> =>
  ids.length === 0
    ? []
    : waitingAmong(
        (await selectTasks(db, { ids })).map(({ id, status, not_before }) => ({ id, status, notBefore: not_before })),
      )

/** The paths that exist, and those that do not, each once. */
export const lookForArtifacts = (
  folder: string,
  paths: readonly string[],
): { readonly present: readonly string[]; readonly missing: readonly string[] } => {
  const present = paths.filter((path) => existsSync(resolve(folder, path)))
  return { present, missing: [...new Set(paths.filter((path) => !present.includes(path)))] }
}

/** Stores what is missing for the review, in place of what an earlier result missed, and notes it in the task's log. */
export const storeMissing = async (context: Context, task: TaskRow, missing: readonly string[]): Promise<void> => {
  await replaceMissingArtifacts(context.db, task.id, missing)
  if (missing.length > 0)
    await note(context, task, 'warn', `The result names files that do not exist: ${someOf(missing, 20)}`)
}
