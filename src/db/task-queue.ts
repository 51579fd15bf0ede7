import { type ExpressionBuilder, sql } from 'kysely'
import { elapsed, type Instant, later, type Tick } from '../domain/words/time.ts'
import { type Db, statement } from './engine/db.ts'
import { unindexed } from './engine/expressions.ts'
import { selectOver } from './leases.ts'
import type { BudgetColumns } from './schema/columns.ts'
import type { Schema } from './schema/schema.ts'
import { due, meets, openTo, type TaskWhere } from './task-filter.ts'
import { taskRows } from './tasks.ts'

// The loops' queries of the board: which tasks could start, when, and which leases have expired.

interface QueueFilter {
  readonly personaId?: string
  readonly worktree?: string
  /** Only tasks for this agent or for any. */
  readonly openTo?: string
  /** No racers for agents of another kind than this one. */
  readonly kind?: string
  /** No tasks in worktrees that move to another host. */
  readonly staying?: boolean
  /** Only tasks without a command. */
  readonly withoutCommand?: boolean
  readonly where?: TaskWhere
  readonly limit?: number
}

/**
 * The triggers can be bypassed, for example by `REPLACE`, so the status is checked again. No index on the status, which keeps the
 * queue's order.
 */
const stillPending = sql<boolean>`${unindexed(sql.ref('task_status.status'))} = 'pending'`

/** The tasks that could be claimed at an instant, most important first. */
export const selectQueue = (db: Db, at: Instant, filter: QueueFilter) => {
  // With the column's index SQLite would collect all of a persona's tasks and sort them.
  let query = taskRows(db).innerJoin('task_queue', 'task_queue.task_id', 'tasks.id').where(stillPending).where(due(at))
  if (filter.personaId !== undefined) query = query.where(unindexed(sql.ref('tasks.persona_id')), '=', filter.personaId)
  if (filter.worktree !== undefined)
    query = query.where(unindexed(sql.ref('tasks.target_worktree')), '=', filter.worktree)
  if (filter.openTo !== undefined) query = query.where(openTo(filter.openTo))
  if (filter.kind !== undefined) query = query.where('tasks.id', 'not in', racersOfOthers(db, filter.kind))
  if (filter.staying === true) query = query.where(stays(db))
  if (filter.withoutCommand) query = query.where('tasks.command', 'is', null)
  if (filter.where !== undefined) query = query.where(meets(filter.where))
  query = query.orderBy('task_queue.priority', 'desc').orderBy('task_queue.task_id')
  if (filter.limit !== undefined) query = query.limit(filter.limit)
  return query.execute()
}

/** Tasks without a worktree, or in one that does not move: few do. */
const stays = (db: Db) => (eb: ExpressionBuilder<Schema, 'tasks'>) =>
  eb.or([
    eb('tasks.target_worktree', 'is', null),
    eb('tasks.target_worktree', 'not in', db.selectFrom('worktrees').where('move_to', 'is not', null).select('name')),
  ])

/** The racers of races that run, for agents of other kinds: there are few. */
const racersOfOthers = (db: Db, kind: string) =>
  db
    .selectFrom('races')
    .innerJoin('racers', 'racers.race_id', 'races.id')
    .where('races.ended_at', 'is', null)
    .where('racers.kind', '<>', kind)
    .select('racers.task_id')

/** A task's place in the queue. */
export interface QueuePlace {
  readonly priority: number
  readonly id: number
}

/**
 * The tasks that could be claimed now after a place in the queue, most important first, with the columns for the
 * scheduler only.
 */
export const selectStartable = (db: Db, at: Instant, limit: number, behind: QueuePlace | null) => {
  const query = db
    .selectFrom('task_queue')
    .innerJoin('tasks', 'tasks.id', 'task_queue.task_id')
    .innerJoin('task_status', 'task_status.task_id', 'task_queue.task_id')
    .leftJoin('task_assignments', 'task_assignments.task_id', 'task_queue.task_id')
    .where(stillPending)
    .where(due(at))
    .select([
      'tasks.id',
      'tasks.priority',
      'tasks.persona_id',
      'tasks.target_worktree',
      'tasks.command',
      'tasks.created_by',
      'tasks.metadata',
      'task_status.command_allowed',
      'task_assignments.agent_id as wanted_agent_id',
    ])
    .orderBy('task_queue.priority', 'desc')
    .orderBy('task_queue.task_id')
    .limit(limit)
  if (behind === null) return query.execute()
  const { priority, id } = behind
  return (
    query
      // The index answers this condition; the other one removes earlier tasks of equal priority.
      .where('task_queue.priority', '<=', priority)
      .where((eb) => eb.or([eb('task_queue.priority', '<', priority), eb('task_queue.task_id', '>', id)]))
      .execute()
  )
}

/** When the next waiting retry becomes due. */
export const selectNextDue = async (db: Db, now: Instant): Promise<Instant | null> =>
  (
    await db
      .selectFrom('task_status')
      .where('not_before', '>', now)
      .select('not_before')
      .orderBy('not_before')
      .limit(1)
      .executeTakeFirst()
  )?.not_before ?? null

/** Tasks whose command came from an agent and has not been approved by a person. */
export const selectUnallowed = async (db: Db): Promise<readonly number[]> =>
  // The literal lets SQLite use the partial index, which a parameter does not.
  (
    await db
      .selectFrom('task_status')
      .where('command_allowed', '=', sql.lit(0))
      .select('task_id')
      .orderBy('task_id', 'desc')
      .limit(500)
      .execute()
  ).map((row) => row.task_id)

/**
 * Held tasks whose lease has expired by the monotonic clock and whose holder has no process started by aiswarm that
 * could still be working. Hosts that are silent keep what their agents hold: these cannot be heard.
 */
export const selectExpiredLeases = async (
  db: Db,
  tick: Tick,
  silent: readonly string[],
): Promise<readonly number[]> => {
  const rows = await db
    .selectFrom('task_status')
    .innerJoin('agents', 'agents.id', 'task_status.assigned_agent_id')
    .where('task_status.status', 'in', ['claimed', 'in_progress'])
    .where('task_status.task_id', 'in', (await selectOver(db, 'task', tick)).map(Number))
    .where('agents.process', 'in', ['none', 'waiting', 'ended'])
    .where('agents.host_id', 'not in', [...silent, ''])
    .select('task_status.task_id')
    .orderBy('task_status.task_id')
    .execute()
  return rows.map((row) => row.task_id)
}

/** The rows of others that decide whether a task may be claimed. */
interface ClaimFacts {
  /** Dependencies that are not completed. */
  readonly blockedBy: readonly number[]
  /** True if a race of the task runs. */
  readonly isRaced: boolean
  /** The race in which the task is a racer, and the kind of its agent there. */
  readonly race: { readonly task_id: number; readonly kind: string; readonly ended_at: Instant | null } | undefined
  readonly budget: BudgetColumns | undefined
  /** The worktree of the task and the name of a host, while that worktree moves there. */
  readonly moves: { readonly worktree: string; readonly host: string } | undefined
}

/** All of it in one statement, which a claim asks with each task. */
export const selectClaimFacts = async (db: Db, taskId: number): Promise<ClaimFacts> => {
  const { rows } = await factsOf(db, { taskId })
  const [row] = rows
  return {
    blockedBy: rows.flatMap(({ needed }) => needed ?? []),
    isRaced: row !== undefined && row.own_race !== null,
    race:
      row === undefined || row.raced === null || row.kind === null
        ? undefined
        : { task_id: row.raced, kind: row.kind, ended_at: row.race_ended_at },
    budget: row === undefined || row.budgeted === null ? undefined : row,
    moves: movesOf(row),
  }
}

/** The worktree of a task and the name of a host, while that worktree moves there. */
export const selectMove = async (db: Db, taskId: number): Promise<ClaimFacts['moves']> =>
  movesOf(
    await db
      .selectFrom('tasks')
      .innerJoin('worktrees as moving', 'moving.name', 'tasks.target_worktree')
      .innerJoin('hosts as there', 'there.id', 'moving.move_to')
      .where('tasks.id', '=', taskId)
      .select(['moving.name as moving', 'there.name as there'])
      .executeTakeFirst(),
  )

const movesOf = (row: { readonly moving: string | null; readonly there: string | null } | undefined) =>
  row === undefined || row.moving === null || row.there === null ? undefined : { worktree: row.moving, host: row.there }

const factsOf = statement((db, { taskId }: { taskId: number }) =>
  db
    .selectFrom('task_status')
    .leftJoin('task_budgets', 'task_budgets.task_id', 'task_status.task_id')
    .leftJoin('races as own', (join) =>
      join.onRef('own.task_id', '=', 'task_status.task_id').on('own.ended_at', 'is', null),
    )
    .leftJoin('racers', 'racers.task_id', 'task_status.task_id')
    .leftJoin('races', 'races.id', 'racers.race_id')
    .leftJoin('task_dependencies', 'task_dependencies.task_id', 'task_status.task_id')
    .leftJoin('task_status as needed', (join) =>
      join.onRef('needed.task_id', '=', 'task_dependencies.depends_on').on('needed.status', '<>', 'completed'),
    )
    .leftJoin('tasks', 'tasks.id', 'task_status.task_id')
    .leftJoin('worktrees as moving', (join) =>
      join.onRef('moving.name', '=', 'tasks.target_worktree').on('moving.move_to', 'is not', null),
    )
    .leftJoin('hosts as there', 'there.id', 'moving.move_to')
    .where('task_status.task_id', '=', taskId)
    .select([
      'task_budgets.task_id as budgeted',
      'task_budgets.cost_usd',
      'task_budgets.tokens',
      'task_budgets.step_cost_usd',
      'task_budgets.step_tokens',
      'task_budgets.asked_at',
      'own.id as own_race',
      'races.task_id as raced',
      'races.ended_at as race_ended_at',
      'racers.kind',
      'needed.task_id as needed',
      'moving.name as moving',
      'there.name as there',
    ])
    .orderBy('needed.task_id'),
)

/**
 * Retries wait by the wall clock. If that was set back, they would wait longer, so they start their delay again. Waits
 * for a quota are kept, because their instant comes from another clock.
 */
export const restartDelays = async (db: Db, now: Instant): Promise<void> => {
  const rows = await db
    .selectFrom('task_status')
    .select(['task_id', 'not_before', 'changed_at'])
    .where('status', '=', 'pending')
    .where('not_before', '>', now)
    .where('changed_at', '>', now)
    .where('not_before', 'not in', db.selectFrom('kind_sleeps').select('until'))
    .execute()
  for (const { task_id, not_before, changed_at } of rows) {
    const delay = elapsed(changed_at, not_before!)
    await db
      .updateTable('task_status')
      .set({ not_before: later(now, delay), changed_at: now })
      .where('task_id', '=', task_id)
      .where('status', '=', 'pending')
      .execute()
  }
}
