import type { Instant } from '../domain/words/time.ts'
import type { Db } from './engine/db.ts'
import { statement } from './engine/statement.ts'
import type { BudgetColumns } from './schema/costs.ts'

/** The rows of others that decide whether a task may be claimed. */
export interface ClaimFacts {
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
