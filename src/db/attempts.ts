import type { Instant } from '../domain/time.ts'
import type { AttemptOutcome, AttemptRow } from './schema.ts'
import type { Db } from './sqlite.ts'

export const insertAttempt = async (db: Db, row: { task_id: number; attempt: number; agent_id: string; claimed_at: Instant }): Promise<void> => {
  await db.insertInto('task_attempts').values(row).execute()
}

export const startAttempt = async (db: Db, taskId: number, attempt: number, at: Instant): Promise<void> => {
  await db.updateTable('task_attempts').set({ started_at: at }).where('task_id', '=', taskId).where('attempt', '=', attempt).where('started_at', 'is', null).execute()
}

export const endAttempt = async (
  db: Db,
  taskId: number,
  attempt: number,
  end: { outcome: AttemptOutcome; ended_at: Instant; error: string | null; commits_recorded: number },
): Promise<void> => {
  await db.updateTable('task_attempts').set(end).where('task_id', '=', taskId).where('attempt', '=', attempt).where('outcome', 'is', null).execute()
}

/** What the runs of an attempt have used so far. */
export const setAttemptUsage = async (db: Db, taskId: number, attempt: number, usage: { tokens_in: number; tokens_out: number; cost_usd: number | null }): Promise<void> => {
  await db.updateTable('task_attempts').set(usage).where('task_id', '=', taskId).where('attempt', '=', attempt).execute()
}

export const selectAttempts = async (db: Db, taskId: number): Promise<readonly AttemptRow[]> =>
  db.selectFrom('task_attempts').where('task_id', '=', taskId).selectAll().orderBy('attempt').execute()

/** True where the agent held the task in some attempt. */
export const hasAttempted = async (db: Db, taskId: number, agentId: string): Promise<boolean> =>
  (await db.selectFrom('task_attempts').where('task_id', '=', taskId).where('agent_id', '=', agentId).select('attempt').limit(1).executeTakeFirst()) !== undefined

/** When the latest attempt of each of these agents ended. */
export const selectLatestEnds = async (db: Db, agentIds: readonly string[]): Promise<ReadonlyMap<string, Instant | null>> => {
  if (agentIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('task_attempts')
    .where('agent_id', 'in', [...agentIds])
    .groupBy('agent_id')
    .select(({ fn }) => ['agent_id', fn.max('ended_at').as('ended_at')])
    .execute()
  return new Map(rows.map((row) => [row.agent_id, row.ended_at]))
}

/** How the latest attempt of each task ended. */
export const selectLatestOutcomes = async (db: Db, taskIds: readonly number[]): Promise<ReadonlyMap<number, AttemptOutcome | null>> => {
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

/** When the attempt ended for which each of these agents' running processes was started; those whose attempt goes on are left out. */
export const selectEndOfAttempts = async (db: Db, agentIds: readonly string[]): Promise<ReadonlyMap<string, Instant>> => {
  if (agentIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('agents')
    .innerJoin('agent_runs', (join) => join.onRef('agent_runs.agent_id', '=', 'agents.id').onRef('agent_runs.run', '=', 'agents.run'))
    .innerJoin('task_attempts', (join) => join.onRef('task_attempts.task_id', '=', 'agent_runs.task_id').onRef('task_attempts.attempt', '=', 'agent_runs.attempt'))
    .where('agents.id', 'in', [...agentIds])
    .where('task_attempts.ended_at', 'is not', null)
    .select(['agents.id', 'task_attempts.ended_at'])
    .execute()
  return new Map(rows.map((row) => [row.id, row.ended_at!]))
}

/** Everything that an agent attempted, oldest first. */
export const selectAttemptsOf = async (db: Db, agentId: string): Promise<readonly AttemptRow[]> =>
  db.selectFrom('task_attempts').where('agent_id', '=', agentId).selectAll().orderBy('claimed_at').orderBy('attempt').execute()
