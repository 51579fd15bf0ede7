import { sql } from 'kysely'
import { kindIn } from '../domain/task/metadata.ts'
import type { TaskState } from '../domain/task/task.ts'
import type { Instant } from '../domain/words/time.ts'
import { countsOwnNumbers, type Db, statement } from './engine/db.ts'
import type { NewTask, TaskStatusRow } from './schema/tasks.ts'
import { available, belongsTo, meets, openTo, type TaskWhere } from './task-filter.ts'

// Tasks with their state, criteria, artifacts and assignments.

/** A task with its state: the row for every view of a task. */
export type TaskRow = Awaited<ReturnType<typeof selectTasks>>[number]

export const insertTask = async (
  db: Db,
  task: Omit<NewTask, 'cli'>,
  status: { command_allowed: number; changed_at: Instant },
): Promise<number> => {
  const { id } = await db
    .insertInto('tasks')
    .values({ ...task, cli: kindIn(task.metadata) })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (task.id !== undefined && countsOwnNumbers(db)) await continueAfter(db, id)
  await db
    .insertInto('task_status')
    .values({ task_id: id, status: 'pending', ...status })
    .execute()
  return id
}

/** The next task without a number of its own gets a higher one. */
const continueAfter = async (db: Db, id: number): Promise<void> => {
  await sql`SELECT continue_tasks_after(${id})`.execute(db)
}

/** Changes what a person may edit; a trigger moves the task to its new place in the queue. */
export const changeTask = async (
  db: Db,
  id: number,
  change: Partial<Pick<NewTask, 'description' | 'priority' | 'metadata'>>,
): Promise<void> => {
  const cli = change.metadata === undefined ? {} : { cli: kindIn(change.metadata) }
  await db
    .updateTable('tasks')
    .set({ ...change, ...cli })
    .where('id', '=', id)
    .execute()
}

export const selectTask = async (db: Db, id: number): Promise<TaskRow | undefined> =>
  (await taskById(db, { id })).rows[0]

const taskById = statement((db, { id }: { id: number }) => taskRows(db).where('tasks.id', '=', id))

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

export const selectTasks = (db: Db, filter: TaskFilter) => {
  let query = taskRows(db)
  if (filter.ids) query = query.where('tasks.id', 'in', [...filter.ids])
  if (filter.statuses) query = query.where('task_status.status', 'in', [...filter.statuses])
  if (filter.personaId !== undefined) query = query.where('tasks.persona_id', '=', filter.personaId)
  if (filter.worktree !== undefined)
    query = query.where('tasks.target_worktree', filter.worktree === null ? 'is' : '=', filter.worktree)
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
  query = query.orderBy(
    filter.statuses ? 'task_status.task_id' : 'tasks.id',
    filter.order === 'newest' ? 'desc' : 'asc',
  )
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

export const selectChildren = async (db: Db, parentId: number): Promise<readonly number[]> =>
  (await db.selectFrom('tasks').where('parent_task_id', '=', parentId).select('id').orderBy('id').execute()).map(
    (row) => row.id,
  )

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

/** Stores the partial result of an attempt that did not complete its task. */
export const changeResult = async (
  db: Db,
  taskId: number,
  result: Pick<TaskStatusRow, 'result_data' | 'artifacts'>,
): Promise<void> => {
  await db.updateTable('task_status').set(result).where('task_id', '=', taskId).execute()
}

/** The number of tasks in each state, from a table maintained by triggers, without a scan. */
export const countByStatus = async (db: Db): Promise<Record<TaskState, number>> => {
  const rows = await db.selectFrom('task_counts').select(['status', 'tasks']).execute()
  const counts: Record<TaskState, number> = {
    pending: 0,
    claimed: 0,
    in_progress: 0,
    completed: 0,
    failed: 0,
    cancelled: 0,
  }
  for (const row of rows) counts[row.status] = row.tasks
  return counts
}

/** The expected row of a state change: its state and, for a held task, the fence (attempt, agent). */
interface Expected {
  readonly status: TaskState
  readonly attempt: number
  readonly agentId?: string
}

/** The only writer of task_status: a compare-and-set. False if another process was faster or the lease is lost. */
export const changeStatus = async (
  db: Db,
  taskId: number,
  expected: Expected,
  change: Partial<Omit<TaskStatusRow, 'task_id'>>,
): Promise<boolean> => {
  const { numAffectedRows } = await compareAndSet(db, {
    ...change,
    taskId,
    ofStatus: expected.status,
    ofAttempt: expected.attempt,
    ofAgent: expected.agentId,
  })
  return numAffectedRows === 1n
}

type Comparison = Partial<Omit<TaskStatusRow, 'task_id'>> & {
  taskId: number
  ofStatus: TaskState
  ofAttempt: number
  ofAgent: string | undefined
}

const compareAndSet = statement((db, { taskId, ofStatus, ofAttempt, ofAgent, ...change }: Comparison) => {
  const update = db
    .updateTable('task_status')
    .set(change)
    .where('task_id', '=', taskId)
    .where('status', '=', ofStatus)
    .where('attempt', '=', ofAttempt)
  return ofAgent === undefined ? update : update.where('assigned_agent_id', '=', ofAgent)
})

/** The number of tasks by this creator that have not ended. */
export const countOpenTasksBy = async (db: Db, creator: string): Promise<number> => {
  const { open } = await db
    .selectFrom('tasks')
    .innerJoin('task_status', 'task_status.task_id', 'tasks.id')
    .where('tasks.created_by', '=', creator)
    .where('task_status.status', 'in', ['pending', 'claimed', 'in_progress'])
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .executeTakeFirstOrThrow()
  return Number(open)
}

/** The number of tasks that have not ended, by their worktree. */
export const countOpenTasksIn = async (
  db: Db,
): Promise<readonly { readonly worktree: string; readonly open: number }[]> =>
  (
    await db
      .selectFrom('task_status')
      .innerJoin('tasks', 'tasks.id', 'task_status.task_id')
      .where('task_status.status', 'in', ['pending', 'claimed', 'in_progress'])
      .where('tasks.target_worktree', 'is not', null)
      .groupBy('tasks.target_worktree')
      .select(({ fn }) => ['tasks.target_worktree', fn.countAll<number>().as('open')])
      .execute()
  ).map(({ target_worktree, open }) => ({ worktree: target_worktree!, open: Number(open) }))

export const insertCriteria = async (db: Db, taskId: number, criteria: readonly string[]): Promise<void> => {
  if (criteria.length === 0) return
  await db
    .insertInto('task_criteria')
    .values(criteria.map((text, position) => ({ task_id: taskId, position, text, met: 0 })))
    .execute()
}

/** Replaces all criteria of a task; one with the same text stays met. */
export const replaceCriteria = async (db: Db, taskId: number, criteria: readonly string[]): Promise<void> => {
  const met = (await selectCriteria(db, [taskId])).filter((row) => row.met === 1).map((row) => row.text)
  await db.deleteFrom('task_criteria').where('task_id', '=', taskId).execute()
  await insertCriteria(db, taskId, criteria)
  await markCriteria(
    db,
    taskId,
    met.map((text) => ({ text, met: true })),
  )
}

/** Marks criteria as met or not met by their text; others keep their state. */
export const markCriteria = async (
  db: Db,
  taskId: number,
  criteria: readonly { readonly text: string; readonly met: boolean }[],
): Promise<void> => {
  for (const { text, met } of criteria) {
    await db
      .updateTable('task_criteria')
      .set({ met: met ? 1 : 0 })
      .where('task_id', '=', taskId)
      .where('text', '=', text)
      .execute()
  }
}

export const selectCriteria = async (
  db: Db,
  ids: readonly number[],
): Promise<readonly { task_id: number; text: string; met: number }[]> => {
  if (ids.length === 0) return []
  return (await criteriaOf(db, { ids })).rows
}

const criteriaOf = statement((db, { ids }: { ids: readonly number[] }) =>
  db
    .selectFrom('task_criteria')
    .where('task_id', 'in', ids)
    .select(['task_id', 'text', 'met'])
    .orderBy('task_id')
    .orderBy('position'),
)

/** Replaces the missing paths of an earlier result of the task by these. */
export const replaceMissingArtifacts = async (db: Db, taskId: number, paths: readonly string[]): Promise<void> => {
  await db.deleteFrom('missing_artifacts').where('task_id', '=', taskId).execute()
  if (paths.length === 0) return
  await db
    .insertInto('missing_artifacts')
    .values(paths.map((path) => ({ task_id: taskId, path })))
    .execute()
}

export const selectMissingArtifacts = async (db: Db, taskId: number): Promise<readonly string[]> =>
  (await db.selectFrom('missing_artifacts').where('task_id', '=', taskId).select('path').orderBy('path').execute()).map(
    ({ path }) => path,
  )

/** The agent and the folder for a task, if a board file or a person names them. */
export interface Assignment {
  readonly agentId: string | null
  /** Absolute path of its folder. */
  readonly folder: string | null
  readonly maxRetries: number | null
}

export const insertAssignment = async (
  db: Db,
  taskId: number,
  { agentId, folder, maxRetries }: Assignment,
): Promise<void> => {
  await db
    .insertInto('task_assignments')
    .values({ task_id: taskId, agent_id: agentId, folder, max_retries: maxRetries })
    .execute()
}

/** The folders of these tasks, for those that have one. */
export const selectFolders = async (db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, string>> => {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('task_assignments')
    .where('task_id', 'in', [...ids])
    .where('folder', 'is not', null)
    .select(['task_id', 'folder'])
    .execute()
  return new Map(rows.map((row) => [row.task_id, row.folder!]))
}

/** Sets the worktree of a task that named none; cleared again only if it cannot be built. */
export const setTargetWorktree = async (db: Db, id: number, worktree: string): Promise<void> => {
  await db
    .updateTable('tasks')
    .set({ target_worktree: worktree })
    .where('id', '=', id)
    .where('target_worktree', 'is', null)
    .execute()
}

/** Moves a task that waits from one worktree to another; false if it does not wait there any more. */
export const moveTask = async (db: Db, id: number, from: string, to: string): Promise<boolean> =>
  (
    await db
      .updateTable('tasks')
      .set({ target_worktree: to })
      .where('id', '=', id)
      .where('target_worktree', '=', from)
      .executeTakeFirst()
  ).numUpdatedRows === 1n

/** Takes the worktree from a task that has it. */
export const clearTargetWorktree = async (db: Db, id: number, worktree: string): Promise<void> => {
  await db
    .updateTable('tasks')
    .set({ target_worktree: null })
    .where('id', '=', id)
    .where('target_worktree', '=', worktree)
    .execute()
}
