import { sql } from 'kysely'
import { kindIn } from '../domain/task/metadata.ts'
import type { TaskState } from '../domain/task/task.ts'
import type { Instant } from '../domain/words/time.ts'
import type { NewTask } from './schema/tasks.ts'
import { countsOwnNumbers, type Db } from './engine/db.ts'
import { statement } from './engine/statement.ts'
import { belongsTo, meets, openTo, type TaskWhere } from './task-where.ts'
import { available } from './task-standing.ts'

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
