import { sql } from 'kysely'
import { LOCAL } from '../domain/host/host.ts'
import type { Instant } from '../domain/words/time.ts'
import { type Db, statement } from './engine/db.ts'
import type { AttemptOutcome, AttemptRow, CommitRow } from './schema/tasks.ts'

// The attempts of tasks, and the commits that were made in them.

interface NewAttempt {
  readonly task_id: number
  readonly attempt: number
  readonly agent_id: string
  readonly claimed_at: Instant
}

export const insertAttempt = async (db: Db, row: NewAttempt): Promise<void> => void (await insert(db, row))

const insert = statement((db, row: NewAttempt) => db.insertInto('task_attempts').values(row))

export const startAttempt = async (db: Db, taskId: number, attempt: number, at: Instant): Promise<void> => {
  await db
    .updateTable('task_attempts')
    .set({ started_at: at })
    .where('task_id', '=', taskId)
    .where('attempt', '=', attempt)
    .where('started_at', 'is', null)
    .execute()
}

type AttemptEnd = { outcome: AttemptOutcome; ended_at: Instant; error: string | null; commits_recorded: number }

/** Ends an attempt that has no outcome yet, and returns it; undefined if it has one. */
export const endAttempt = async (
  db: Db,
  taskId: number,
  attempt: number,
  end: AttemptEnd,
): Promise<AttemptRow | undefined> => (await endOpen(db, { ...end, taskId, number: attempt })).rows[0]

const endOpen = statement((db, { taskId, number, ...end }: AttemptEnd & { taskId: number; number: number }) =>
  db
    .updateTable('task_attempts')
    .set(end)
    .where('task_id', '=', taskId)
    .where('attempt', '=', number)
    .where('outcome', 'is', null)
    .returningAll(),
)

/** Sets the usage of an attempt's runs so far. */
export const setAttemptUsage = async (
  db: Db,
  taskId: number,
  attempt: number,
  usage: { tokens_in: number; tokens_out: number; cost_usd: number | null },
): Promise<void> => {
  await db
    .updateTable('task_attempts')
    .set(usage)
    .where('task_id', '=', taskId)
    .where('attempt', '=', attempt)
    .where((eb) =>
      eb.or([
        eb('tokens_in', 'is distinct from', usage.tokens_in),
        eb('tokens_out', 'is distinct from', usage.tokens_out),
        eb('cost_usd', 'is distinct from', usage.cost_usd),
      ]),
    )
    .execute()
}

export const selectAttempts = async (db: Db, taskId: number): Promise<readonly AttemptRow[]> =>
  (await attemptsOf(db, { taskId })).rows

const attemptsOf = statement((db, { taskId }: { taskId: number }) =>
  db.selectFrom('task_attempts').where('task_id', '=', taskId).selectAll().orderBy('attempt'),
)

/** True if the agent held the task in some attempt. */
export const hasAttempted = async (db: Db, taskId: number, agentId: string): Promise<boolean> =>
  (await db
    .selectFrom('task_attempts')
    .where('task_id', '=', taskId)
    .where('agent_id', '=', agentId)
    .select('attempt')
    .limit(1)
    .executeTakeFirst()) !== undefined

/** All attempts of an agent, oldest first. */
export const selectAttemptsOf = async (db: Db, agentId: string): Promise<readonly AttemptRow[]> =>
  db
    .selectFrom('task_attempts')
    .where('agent_id', '=', agentId)
    .selectAll()
    .orderBy('claimed_at')
    .orderBy('attempt')
    .execute()

/** The end of each of these agents' latest attempt: one index look-up each, whatever the number of attempts. */
export const selectLatestEnds = async (
  db: Db,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, Instant | null>> => {
  if (agentIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('agents')
    .where('agents.id', 'in', [...agentIds])
    .select((eb) => [
      'agents.id',
      eb
        .selectFrom('task_attempts')
        .whereRef('task_attempts.agent_id', '=', 'agents.id')
        .select(({ fn }) => fn.max('task_attempts.ended_at').as('at'))
        .as('ended_at'),
    ])
    .execute()
  return new Map(rows.map((row) => [row.id, row.ended_at]))
}

/** The outcome of each task's latest attempt. */
export const selectLatestOutcomes = async (
  db: Db,
  taskIds: readonly number[],
): Promise<ReadonlyMap<number, AttemptOutcome | null>> => {
  if (taskIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('task_attempts')
    .where('task_id', 'in', [...taskIds])
    .select(['task_id', 'attempt', 'outcome'])
    .orderBy('attempt')
    .execute()
  return new Map(rows.map((row) => [row.task_id, row.outcome]))
}

/** The last attempt of each of these agents. */
export const selectLastAttempts = async (
  db: Db,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, { readonly task_id: number; readonly outcome: AttemptOutcome | null }>> => {
  if (agentIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('task_attempts')
    .where('agent_id', 'in', [...agentIds])
    .select(['agent_id', 'task_id', 'outcome'])
    .orderBy('claimed_at')
    .orderBy('attempt')
    .execute()
  return new Map(rows.map(({ agent_id, ...last }) => [agent_id, last]))
}

/**
 * The end of the attempt for which each of these agents' running processes was started, without attempts in progress.
 */
export const selectEndOfAttempts = async (
  db: Db,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, Instant>> => {
  if (agentIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('agents')
    .innerJoin('agent_runs', (join) =>
      join.onRef('agent_runs.agent_id', '=', 'agents.id').onRef('agent_runs.run', '=', 'agents.run'),
    )
    .innerJoin('task_attempts', (join) =>
      join
        .onRef('task_attempts.task_id', '=', 'agent_runs.task_id')
        .onRef('task_attempts.attempt', '=', 'agent_runs.attempt'),
    )
    .where('agents.id', 'in', [...agentIds])
    .where('task_attempts.ended_at', 'is not', null)
    .select(['agents.id', 'task_attempts.ended_at'])
    .execute()
  return new Map(rows.map((row) => [row.id, row.ended_at!]))
}

interface CompletedAttempt {
  readonly persona_id: string
  readonly command: string | null
  readonly started_at: Instant
  readonly ended_at: Instant
}

/** The latest completed attempts, newest first. */
export const selectCompletedAttempts = async (db: Db, limit: number): Promise<readonly CompletedAttempt[]> => {
  const rows = await db
    .selectFrom('task_attempts')
    .innerJoin('tasks', 'tasks.id', 'task_attempts.task_id')
    .where('task_attempts.outcome', '=', 'completed')
    .where('task_attempts.ended_at', 'is not', null)
    .where('task_attempts.started_at', 'is not', null)
    .select(['tasks.persona_id', 'tasks.command', 'task_attempts.started_at', 'task_attempts.ended_at'])
    .orderBy('task_attempts.ended_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ started_at, ended_at, ...row }) => ({ ...row, started_at: started_at!, ended_at: ended_at! }))
}

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
