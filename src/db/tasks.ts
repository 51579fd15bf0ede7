import type { TaskState } from '../domain/task/task.ts'
import type { Instant } from '../domain/words/time.ts'
import type { NewTask, TaskStatusRow } from './schema/schema.ts'
import type { Db } from './engine/sqlite.ts'
import { statement } from './engine/statement.ts'
import { available, belongsTo, meets, openTo, type TaskWhere } from './task-where.ts'

/** A task with its state: the row for every view of a task. */
export type TaskRow = Awaited<ReturnType<typeof selectTasks>>[number]

export interface TaskFilter {
  readonly ids?: readonly number[]
  readonly statuses?: readonly TaskState[]
  readonly personaId?: string
  /** Null for tasks without a worktree. */
  readonly worktree?: string | null
  readonly agentId?: string
  /** Only tasks without a command. */
  readonly withoutCommand?: boolean
  readonly where?: TaskWhere
  /** Only tasks for this agent or for any. */
  readonly openTo?: string
  /** Only tasks that could be claimed at this instant: pending, due and with every dependency completed. */
  readonly availableAt?: Instant
  readonly beforeId?: number
  readonly fromId?: number
  readonly order?: 'id' | 'newest'
  readonly limit?: number
  /** Only tasks that changed at this instant or later. */
  readonly changedSince?: Instant
  /** Only tasks of this session: created in it, changed in it, or still open. */
  readonly ofSession?: { readonly id: string; readonly since: Instant }
}

export const insertTask = async (db: Db, task: NewTask, status: { command_allowed: number; changed_at: Instant }): Promise<number> => {
  const { id } = await db.insertInto('tasks').values(task).returning('id').executeTakeFirstOrThrow()
  await db
    .insertInto('task_status')
    .values({ task_id: id, status: 'pending', ...status })
    .execute()
  return id
}

export const insertDependencies = async (db: Db, taskId: number, dependencies: readonly number[]): Promise<void> => {
  if (dependencies.length === 0) return
  await db
    .insertInto('task_dependencies')
    .values(dependencies.map((depends_on) => ({ task_id: taskId, depends_on })))
    .execute()
}

export const insertCriteria = async (db: Db, taskId: number, criteria: readonly string[]): Promise<void> => {
  if (criteria.length === 0) return
  await db
    .insertInto('task_criteria')
    .values(criteria.map((text, position) => ({ task_id: taskId, position, text, met: 0 })))
    .execute()
}

/** Marks criteria as met or not met by their text; others keep their state. */
export const markCriteria = async (db: Db, taskId: number, criteria: readonly { readonly text: string; readonly met: boolean }[]): Promise<void> => {
  for (const { text, met } of criteria) {
    await db
      .updateTable('task_criteria')
      .set({ met: met ? 1 : 0 })
      .where('task_id', '=', taskId)
      .where('text', '=', text)
      .execute()
  }
}

/** Stores the partial result of an attempt that did not complete its task. */
export const changeResult = async (db: Db, taskId: number, result: Pick<TaskStatusRow, 'result_data' | 'artifacts'>): Promise<void> => {
  await db.updateTable('task_status').set(result).where('task_id', '=', taskId).execute()
}

export const selectTask = async (db: Db, id: number): Promise<TaskRow | undefined> => (await taskById(db, { id })).rows[0]

const taskById = statement((db, { id }: { id: number }) => taskRows(db).where('tasks.id', '=', id))

export const selectTasks = (db: Db, filter: TaskFilter) => {
  let query = taskRows(db)
  if (filter.ids) query = query.where('tasks.id', 'in', [...filter.ids])
  if (filter.statuses) query = query.where('task_status.status', 'in', [...filter.statuses])
  if (filter.personaId !== undefined) query = query.where('tasks.persona_id', '=', filter.personaId)
  if (filter.worktree !== undefined) query = query.where('tasks.target_worktree', filter.worktree === null ? 'is' : '=', filter.worktree)
  if (filter.agentId !== undefined) query = query.where('task_status.assigned_agent_id', '=', filter.agentId)
  if (filter.openTo !== undefined) query = query.where(openTo(filter.openTo))
  if (filter.withoutCommand) query = query.where('tasks.command', 'is', null)
  if (filter.changedSince !== undefined) query = query.where('task_status.changed_at', '>=', filter.changedSince)
  if (filter.ofSession !== undefined) query = query.where(belongsTo(filter.ofSession))
  // The condition is on the table whose index gives the order, because SQLite does not transfer an inequality to the
  // other.
  const number = filter.statuses ? 'task_status.task_id' : 'tasks.id'
  if (filter.fromId !== undefined) query = query.where(number, '>=', filter.fromId)
  if (filter.beforeId !== undefined) query = query.where(number, '<', filter.beforeId)
  if (filter.where !== undefined) query = query.where(meets(filter.where))
  if (filter.availableAt !== undefined) query = query.where(available(filter.availableAt))
  // Ordered by the status table if that is the selective one: its index then gives the order without a scan of tasks.
  query = query.orderBy(filter.statuses ? 'task_status.task_id' : 'tasks.id', filter.order === 'newest' ? 'desc' : 'asc')
  if (filter.limit !== undefined) query = query.limit(filter.limit)
  return query.execute()
}

/** The priorities of a session's tasks, the most important first. */
export const selectPriorities = async (db: Db, session: NonNullable<TaskFilter['ofSession']>): Promise<number[]> =>
  (
    await db
      .selectFrom('tasks')
      .innerJoin('task_status', 'task_status.task_id', 'tasks.id')
      .where(belongsTo(session))
      .select('tasks.priority')
      .distinct()
      .orderBy('tasks.priority', 'desc')
      .execute()
  ).map(({ priority }) => priority)

/** A dependency of a task, and whether it still blocks it. */
export interface NeededTask {
  readonly task_id: number
  readonly depends_on: number
  readonly status: TaskState
  readonly completed_at: Instant | null
}

/** Dependencies of each of the tasks. */
export const selectDependencies = async (db: Db, ids: readonly number[]): Promise<readonly NeededTask[]> => {
  if (ids.length === 0) return []
  return (await dependenciesOf(db, { ids })).rows
}

const dependenciesOf = statement((db, { ids }: { ids: readonly number[] }) =>
  db
    .selectFrom('task_dependencies')
    .innerJoin('task_status', 'task_status.task_id', 'task_dependencies.depends_on')
    .where('task_dependencies.task_id', 'in', ids)
    .select(['task_dependencies.task_id', 'task_dependencies.depends_on', 'task_status.status', 'task_status.completed_at'])
    .orderBy('task_dependencies.depends_on'),
)

/** Ids of the dependencies of one task that are not completed. */
export const selectBlockers = async (db: Db, taskId: number): Promise<readonly number[]> => (await blockersOf(db, { taskId })).rows.map((row) => row.depends_on)

const blockersOf = statement((db, { taskId }: { taskId: number }) =>
  db
    .selectFrom('task_dependencies')
    .innerJoin('task_status', 'task_status.task_id', 'task_dependencies.depends_on')
    .where('task_dependencies.task_id', '=', taskId)
    .where('task_status.status', '<>', 'completed')
    .select('task_dependencies.depends_on')
    .orderBy('task_dependencies.depends_on'),
)

export const selectCriteria = async (db: Db, ids: readonly number[]): Promise<readonly { task_id: number; text: string; met: number }[]> => {
  if (ids.length === 0) return []
  return (await criteriaOf(db, { ids })).rows
}

const criteriaOf = statement((db, { ids }: { ids: readonly number[] }) =>
  db.selectFrom('task_criteria').where('task_id', 'in', ids).select(['task_id', 'text', 'met']).orderBy('task_id').orderBy('position'),
)

export const selectChildren = async (db: Db, parentId: number): Promise<readonly number[]> =>
  (await db.selectFrom('tasks').where('parent_task_id', '=', parentId).select('id').orderBy('id').execute()).map((row) => row.id)

/** Tasks that depend on this one. */
export const selectDependents = async (db: Db, id: number): Promise<readonly number[]> =>
  (await db.selectFrom('task_dependencies').where('depends_on', '=', id).select('task_id').orderBy('task_id').execute()).map((row) => row.task_id)

/** The number of tasks in each state, from a table maintained by triggers, without a scan. */
export const countByStatus = async (db: Db): Promise<Record<TaskState, number>> => {
  const rows = await db.selectFrom('task_counts').select(['status', 'tasks']).execute()
  const counts: Record<TaskState, number> = { pending: 0, claimed: 0, in_progress: 0, completed: 0, failed: 0, cancelled: 0 }
  for (const row of rows) counts[row.status] = row.tasks
  return counts
}

/** The expected row of a state change: its state and, for a held task, the fence (attempt, agent). */
export interface Expected {
  readonly status: TaskState
  readonly attempt: number
  readonly agentId?: string
}

/** The only writer of task_status: a compare-and-set. False if another process was faster or the lease is lost. */
export const changeStatus = async (db: Db, taskId: number, expected: Expected, change: Partial<Omit<TaskStatusRow, 'task_id'>>): Promise<boolean> => {
  const { numAffectedRows } = await compareAndSet(db, { ...change, taskId, ofStatus: expected.status, ofAttempt: expected.attempt, ofAgent: expected.agentId })
  return numAffectedRows === 1n
}

type Comparison = Partial<Omit<TaskStatusRow, 'task_id'>> & { taskId: number; ofStatus: TaskState; ofAttempt: number; ofAgent: string | undefined }

const compareAndSet = statement((db, { taskId, ofStatus, ofAttempt, ofAgent, ...change }: Comparison) => {
  const update = db.updateTable('task_status').set(change).where('task_id', '=', taskId).where('status', '=', ofStatus).where('attempt', '=', ofAttempt)
  return ofAgent === undefined ? update : update.where('assigned_agent_id', '=', ofAgent)
})

/** Tasks with their states and all columns that their views need. */
export const taskRows = (db: Db) =>
  db
    .selectFrom('tasks')
    .innerJoin('task_status', 'task_status.task_id', 'tasks.id')
    .leftJoin('task_assignments', 'task_assignments.task_id', 'tasks.id')
    .select([
      'tasks.id',
      'tasks.title',
      'tasks.description',
      'tasks.persona_id',
      'tasks.context_ref',
      'tasks.priority',
      'tasks.target_worktree',
      'tasks.parent_task_id',
      'tasks.command',
      'tasks.session_id',
      'tasks.created_by',
      'tasks.created_at',
      'tasks.metadata',
      'task_status.status',
      'task_status.assigned_agent_id',
      'task_status.claimed_at',
      'task_status.started_at',
      'task_status.completed_at',
      'task_status.lease_expires_at',
      'task_status.result_data',
      'task_status.error_message',
      'task_status.retry_count',
      'task_status.attempt',
      'task_status.not_before',
      'task_status.progress_percent',
      'task_status.progressed_at',
      'task_status.artifacts',
      'task_status.command_allowed',
      'task_status.changed_at',
      'task_assignments.agent_id as wanted_agent_id',
      'task_assignments.folder',
      'task_assignments.max_retries',
    ])
