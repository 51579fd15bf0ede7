import type { Instant } from '../domain/words/time.ts'
import type { AttemptOutcome } from './schema/tasks.ts'
import type { Db } from './engine/db.ts'

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
