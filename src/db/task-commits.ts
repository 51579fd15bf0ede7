import { sql } from 'kysely'
import { LOCAL } from '../domain/host/host.ts'
import type { Instant } from '../domain/words/time.ts'
import type { CommitRow } from './schema/runs.ts'
import type { Db } from './engine/db.ts'

export const insertCommits = async (db: Db, rows: readonly CommitRow[]): Promise<void> => {
  if (rows.length === 0) return
  await db
    .insertInto('task_commits')
    .values([...rows])
    .onConflict((conflict) => conflict.columns(['task_id', 'attempt', 'oid']).doNothing())
    .execute()
}

export const selectCommits = async (db: Db, taskId: number): Promise<readonly CommitRow[]> =>
  db
    .selectFrom('task_commits')
    .where('task_id', '=', taskId)
    .selectAll()
    .orderBy('attempt')
    .orderBy('position')
    .execute()

/** Ended attempts on a host whose commits are not recorded yet, the oldest first. */
export const selectUnrecordedAttempts = async (
  db: Db,
  host: string,
): Promise<
  readonly {
    task_id: number
    attempt: number
    agent_id: string
    claimed_at: Instant
    ended_at: Instant
    target_worktree: string | null
  }[]
> => {
  const rows = await db
    .selectFrom('task_attempts')
    .innerJoin('tasks', 'tasks.id', 'task_attempts.task_id')
    .leftJoin('worktrees', 'worktrees.name', 'tasks.target_worktree')
    // Those that a lost host has left must not fill the list of others; the main checkout is on the first host.
    .where((eb) => eb(eb.fn.coalesce('worktrees.host_id', eb.val(LOCAL)), '=', host))
    // The literal lets SQLite use the partial index, which a parameter does not.
    .where('task_attempts.commits_recorded', '=', sql.lit(0))
    .where('task_attempts.ended_at', 'is not', null)
    .select(['task_attempts.task_id', 'task_attempts.attempt', 'task_attempts.agent_id', 'tasks.target_worktree'])
    .select(['task_attempts.claimed_at', 'task_attempts.ended_at'])
    .orderBy('task_attempts.ended_at')
    .limit(50)
    .execute()
  return rows.map((row) => ({ ...row, ended_at: row.ended_at! }))
}

export const markCommitsRecorded = async (db: Db, taskId: number, attempt: number): Promise<boolean> =>
  (
    await db
      .updateTable('task_attempts')
      .set({ commits_recorded: 1 })
      .where('task_id', '=', taskId)
      .where('attempt', '=', attempt)
      .where('commits_recorded', '=', 0)
      .executeTakeFirst()
  ).numUpdatedRows === 1n

/** The newest commit of the tasks in each worktree of a host, and when its attempt ended; those without commits are left out. */
export const selectLastCommits = async (
  db: Db,
  host: string,
): Promise<ReadonlyMap<string, { readonly oid: string; readonly endedAt: Instant }>> => {
  const rows = await db
    .selectFrom('task_commits')
    .innerJoin('task_attempts', (join) =>
      join
        .onRef('task_attempts.task_id', '=', 'task_commits.task_id')
        .onRef('task_attempts.attempt', '=', 'task_commits.attempt'),
    )
    .innerJoin('tasks', 'tasks.id', 'task_commits.task_id')
    .innerJoin('worktrees', 'worktrees.name', 'tasks.target_worktree')
    .where('worktrees.host_id', '=', host)
    .where('worktrees.folder', '=', 'ready')
    .where('task_attempts.ended_at', 'is not', null)
    .select(['worktrees.name', 'task_commits.oid', 'task_attempts.ended_at'])
    .orderBy('task_attempts.ended_at')
    .orderBy('task_commits.position')
    .execute()
  return new Map(rows.map(({ name, oid, ended_at: endedAt }) => [name, { oid, endedAt: endedAt! }]))
}
