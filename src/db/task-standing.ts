import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { KindRules } from '../domain/settings/persona-settings.ts'
import type { Schema } from './schema/schema.ts'
import { enteredAt, type TaskState } from '../domain/task/task.ts'
import type { Test } from '../domain/task/filter.ts'
import type { Instant } from '../domain/words/time.ts'
import { latest } from './engine/words.ts'
import { asleep } from './sleeps.ts'

/** The instant and the settings on which the standing of a task depends. */
export interface At {
  readonly now: Instant
  /** Work without progress since then is stalled. */
  readonly quietSince: Instant
  /** The rules for the kind of a task's agent, and thus for the quota that it waits for. */
  readonly kinds: KindRules
}

export type Builder = ExpressionBuilder<Schema, 'tasks' | 'task_status'>
export type Condition = Expression<SqlBool>

const columnOf = {
  changedAt: 'task_status.changed_at',
  claimedAt: 'task_status.claimed_at',
  completedAt: 'task_status.completed_at',
} as const

/** As `taskSince` in the domain: when a task entered its state. */
export const since = (eb: Builder, state: TaskState, now: Instant) =>
  state === 'pending'
    ? latest(
        latest(
          sql.ref('task_status.changed_at'),
          sql`CASE WHEN task_status.not_before <= ${now} THEN task_status.not_before ELSE '' END`,
        ),
        unblockedAt,
      )
    : eb.fn.coalesce(columnOf[enteredAt[state]], 'task_status.changed_at')

/**
 * When the last dependency of a task was completed; the empty text while it is blocked, and if it has no dependency.
 */
const unblockedAt = sql<Instant>`coalesce((SELECT CASE WHEN count(*) = count(CASE WHEN needed.status = 'completed' THEN 1 END) THEN max(needed.completed_at) ELSE '' END
  FROM task_dependencies JOIN task_status AS needed ON needed.task_id = task_dependencies.depends_on WHERE task_dependencies.task_id = tasks.id), '')`

export const standing: {
  readonly [What in Extract<Test, { kind: 'is' }>['what']]: (eb: Builder, at: At) => Condition
} = {
  stalled: (eb, { quietSince }) =>
    // A claimed task that does not start makes no progress either.
    // A task that waits for a person's answer about its budget is excluded.
    eb.and([
      inStates(eb, ['claimed', 'in_progress']),
      eb(
        eb.fn.coalesce('task_status.progressed_at', 'task_status.started_at', 'task_status.claimed_at'),
        '<',
        quietSince,
      ),
      eb('tasks.id', 'not in', askedBudgets(eb)),
    ]),
  // As the board draws them: a sleeping task waits for the quota, not for a retry.
  waiting: (eb, { now, kinds }) =>
    eb.and([
      eb('task_status.status', '=', 'pending'),
      eb('task_status.not_before', '>', now),
      eb.not(needs(eb)),
      isNot(asleep(eb, now, kinds)),
    ]),
  sleeping: (eb, { now, kinds }) =>
    eb.and([
      eb('task_status.status', '=', 'pending'),
      asleep(eb, now, kinds),
      eb.not(needs(eb)),
      eb('tasks.id', 'not in', askedBudgets(eb)),
    ]),
  blocked: (eb) => blocked(eb),
  'over-budget': (eb) =>
    eb.and([inStates(eb, ['pending', 'claimed', 'in_progress']), eb('tasks.id', 'in', askedBudgets(eb))]),
  available: (eb, { now }) => available(now)(eb),
  held: (eb) => inStates(eb, ['claimed', 'in_progress']),
  over: (eb) => inStates(eb, ['completed', 'failed', 'cancelled']),
}

export const inStates = (eb: Builder, states: readonly TaskState[]): Condition =>
  eb('task_status.status', 'in', [...states])

const blocked = (eb: Builder): Condition =>
  eb.and([eb('task_status.status', '=', 'pending'), eb.or([needs(eb), eb('tasks.id', 'in', raced(eb))])])

/** Pending, due, with every dependency completed and its budget not used up. */
export const available = (at: Instant) => (eb: Builder) =>
  eb.and([eb('task_status.status', '=', 'pending'), due(at)(eb)])

/** The pending tasks that could be claimed at this instant. */
export const due = (at: Instant) => (eb: Builder) =>
  eb.and([
    eb.or([eb('task_status.not_before', 'is', null), eb('task_status.not_before', '<=', at)]),
    eb.not(needs(eb)),
    // There are few such questions: the list is made once, not once per task.
    eb('tasks.id', 'not in', askedBudgets(eb)),
    eb('tasks.id', 'not in', raced(eb)),
  ])

/** Tasks whose race runs: a person decides it. There are few, as of the questions about budgets. */
const raced = (eb: Builder) => eb.selectFrom('races').where('races.ended_at', 'is', null).select('races.task_id')

/** Tasks for which a person is asked whether they may cost more, with the racers of those, which share their budget. */
const askedBudgets = (eb: Builder) =>
  eb
    .selectFrom('task_budgets')
    .where('task_budgets.asked_at', 'is not', null)
    .select('task_budgets.task_id')
    .unionAll(
      eb
        .selectFrom('task_budgets')
        .innerJoin('races', 'races.task_id', 'task_budgets.task_id')
        .innerJoin('racers', 'racers.race_id', 'races.id')
        .where('task_budgets.asked_at', 'is not', null)
        .where('races.ended_at', 'is', null)
        .select('racers.task_id'),
    )

/** A dependency that is not completed. */
const needs = (eb: Builder) =>
  eb.exists(
    eb
      .selectFrom('task_dependencies')
      .innerJoin('task_status as needed', 'needed.task_id', 'task_dependencies.depends_on')
      .whereRef('task_dependencies.task_id', '=', 'tasks.id')
      .where('needed.status', '<>', 'completed')
      .select('needed.task_id'),
  )

/** Also true where the condition is null. */
export const isNot = (condition: Condition): Condition => sql<SqlBool>`(${condition}) IS NOT TRUE`
