import { z } from 'zod'
import { selectUndecided } from '../../db/costs.ts'
import { type Db, together } from '../../db/engine/db.ts'
import type { TaskLogRow } from '../../db/schema/tasks.ts'
import { type NeededTask, selectDependencies } from '../../db/task-dependencies.ts'
import { selectCriteria, type TaskRow } from '../../db/tasks.ts'
import { isOver, taskStates } from '../../domain/task/task.ts'
import type { Instant } from '../../domain/words/time.ts'
import { findTask } from '../perform/find.ts'
import { lazyObject, parsed } from '../perform/schemas.ts'

// Views of tasks and their logs. Every view of this folder is in camelCase: the contract of `--json` and of the
// MCP tools.

export const taskView = lazyObject(() => ({
  id: z.int(),
  title: z.string(),
  description: z.string(),
  personaId: z.string(),
  status: z.enum(taskStates),
  /** Dependencies that are not completed, and the racers of a race of it that runs. */
  blockedBy: z.array(z.int()),
  priority: z.int(),
  dependencies: z.array(z.int()),
  targetWorktree: z.string().nullable(),
  parentTaskId: z.int().nullable(),
  assignedAgentId: z.string().nullable(),
  /** The agent and the folder for it, if they are named. */
  wantedAgentId: z.string().nullable(),
  folder: z.string().nullable(),
  attempt: z.int(),
  retryCount: z.int(),
  notBefore: z.string().nullable(),
  /** True if it has not ended, and a person is asked whether it, or the race that it runs in, may cost more. */
  overBudget: z.boolean(),
  /** The quota of its agents' kind is used up until then, only on `host` if there is one; set where tasks are listed or shown. */
  sleep: z.object({ kind: z.string(), until: z.string(), host: z.string().optional() }).nullable(),
  progressPercent: z.int().nullable(),
  progressedAt: z.string().nullable(),
  leaseExpiresAt: z.string().nullable(),
  claimedAt: z.string().nullable(),
  startedAt: z.string().nullable(),
  completedAt: z.string().nullable(),
  changedAt: z.string(),
  /** When its last dependency was completed; null while it is blocked, and if it has no dependency. */
  unblockedAt: z.string().nullable(),
  resultData: z.unknown(),
  artifacts: z.array(z.string()),
  errorMessage: z.string().nullable(),
  acceptanceCriteria: z.array(z.object({ text: z.string(), met: z.boolean() })),
  command: z.string().nullable(),
  commandAllowed: z.boolean(),
  contextRef: z.string().nullable(),
  sessionId: z.string().nullable(),
  createdBy: z.string().nullable(),
  createdAt: z.string(),
  metadata: z.unknown(),
}))
export type TaskView = z.output<ReturnType<typeof taskView>>

/** Views of task rows in their order, with dependencies and criteria read in one query each. */
export const viewTasks = async (db: Db, rows: readonly TaskRow[]): Promise<TaskView[]> => {
  if (rows.length === 0) return []
  const ids = rows.map((row) => row.id)
  return viewsFrom(rows, ...(await together(selectDependencies(db, ids), selectCriteria(db, ids), selectUndecided(db))))
}

/** The same from rows and what was read with them. */
const viewsFrom = (
  rows: readonly TaskRow[],
  needed: Awaited<ReturnType<typeof selectDependencies>>,
  wanted: Awaited<ReturnType<typeof selectCriteria>>,
  undecided: Awaited<ReturnType<typeof selectUndecided>>,
): TaskView[] => {
  const dependencies = groupBy(needed, (row) => row.task_id)
  const criteria = groupBy(wanted, (row) => row.task_id)
  const questions = new Set(undecided.filter(({ racer }) => racer === null).map((row) => row.task_id))
  const asked = new Set(undecided.filter((row) => questions.has(row.task_id)).map((row) => row.racer ?? row.task_id))
  const racers = groupBy(undecided, (row) => row.task_id)
  return rows.map((row) => {
    const needs = dependencies.get(row.id) ?? []
    return {
      id: row.id,
      title: row.title,
      description: row.description,
      personaId: row.persona_id,
      status: row.status,
      blockedBy:
        row.status === 'pending'
          ? [
              ...needs.filter((need) => need.status !== 'completed').map((need) => need.depends_on),
              ...(racers.get(row.id) ?? []).flatMap(({ racer }) => racer ?? []),
            ]
          : [],
      priority: row.priority,
      dependencies: needs.map((need) => need.depends_on),
      targetWorktree: row.target_worktree,
      parentTaskId: row.parent_task_id,
      assignedAgentId: row.assigned_agent_id,
      wantedAgentId: row.wanted_agent_id,
      folder: row.folder,
      attempt: row.attempt,
      retryCount: row.retry_count,
      notBefore: row.not_before,
      overBudget: asked.has(row.id) && !isOver(row.status),
      sleep: null,
      progressPercent: row.progress_percent,
      progressedAt: row.progressed_at,
      leaseExpiresAt: row.lease_expires_at,
      claimedAt: row.claimed_at,
      startedAt: row.started_at,
      completedAt: row.completed_at,
      changedAt: row.changed_at,
      unblockedAt: unblockedAt(needs),
      resultData: parsed(row.result_data),
      artifacts: (parsed(row.artifacts) as string[] | null) ?? [],
      errorMessage: row.error_message,
      acceptanceCriteria: (criteria.get(row.id) ?? []).map(({ text, met }) => ({ text, met: met === 1 })),
      command: row.command,
      commandAllowed: row.command_allowed === 1,
      contextRef: row.context_ref,
      sessionId: row.session_id,
      createdBy: row.created_by,
      createdAt: row.created_at,
      metadata: parsed(row.metadata),
    }
  })
}

const unblockedAt = (needs: readonly NeededTask[]): Instant | null =>
  needs.some((need) => need.status !== 'completed')
    ? null
    : needs.reduce<Instant | null>(
        (latest, need) => (need.completed_at! > (latest ?? '') ? need.completed_at : latest),
        null,
      )

const groupBy = <T, K>(rows: readonly T[], key: (row: T) => K): Map<K, T[]> => {
  const groups = new Map<K, T[]>()
  for (const row of rows) {
    const group = groups.get(key(row))
    if (group) group.push(row)
    else groups.set(key(row), [row])
  }
  return groups
}

/** The view of a task as it is after everything that was written before; `known` is its row then, if the caller has it. */
export const viewTask = async (db: Db, id: number, known?: Promise<TaskRow>): Promise<TaskView> => {
  const [row, ...parts] = await together(
    known ?? findTask(db, id),
    selectDependencies(db, [id]),
    selectCriteria(db, [id]),
    selectUndecided(db),
  )
  return viewsFrom([row], ...parts)[0]!
}

export const taskLogView = lazyObject(() => ({
  id: z.int(),
  taskId: z.int(),
  agentId: z.string(),
  level: z.enum(['debug', 'info', 'warn', 'error']),
  message: z.string(),
  attempt: z.int().nullable(),
  percent: z.int().nullable(),
  loggedAt: z.string(),
}))
export type TaskLogView = z.output<ReturnType<typeof taskLogView>>

export const viewTaskLog = (row: TaskLogRow): TaskLogView => ({
  id: row.id,
  taskId: row.task_id,
  agentId: row.agent_id,
  level: row.level,
  message: row.message,
  attempt: row.attempt,
  percent: row.percent,
  loggedAt: row.logged_at,
})
