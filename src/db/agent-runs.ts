import type { Instant } from '../domain/time.ts'
import type { AgentRunRow } from './run-tables.ts'
import type { Db } from './sqlite.ts'

export type NewRun = Pick<AgentRunRow, 'agent_id' | 'run' | 'task_id' | 'attempt' | 'kind' | 'model' | 'cli_session' | 'resumed' | 'output_offset' | 'started_at'>

/** What a run has used and said so far. */
export type RunReport = Pick<AgentRunRow, 'model' | 'cli_session' | 'tokens_in' | 'tokens_out' | 'tokens_cached' | 'cost_usd' | 'said' | 'problem'>

export const insertRun = async (db: Db, run: NewRun): Promise<void> => {
  // A launch that is repeated after a crash is the same run.
  await db
    .insertInto('agent_runs')
    .values(run)
    .onConflict((conflict) => conflict.columns(['agent_id', 'run']).doNothing())
    .execute()
}

export const changeRun = async (db: Db, agentId: string, run: number, change: Partial<RunReport & Pick<AgentRunRow, 'ended_at' | 'exit_code'>>): Promise<void> => {
  await db.updateTable('agent_runs').set(change).where('agent_id', '=', agentId).where('run', '=', run).execute()
}

export const selectRun = async (db: Db, agentId: string, run: number): Promise<AgentRunRow | undefined> =>
  db.selectFrom('agent_runs').where('agent_id', '=', agentId).where('run', '=', run).selectAll().executeTakeFirst()

/** When the last run, or the last agent that registered itself, ended; one that fell silent by its last sign of life. Null where none has. */
export const selectLastEnd = async (db: Db): Promise<Instant | null> => {
  const run = await db
    .selectFrom('agent_runs')
    .select(({ fn }) => fn.max('ended_at').as('at'))
    .executeTakeFirst()
  const agent = await db
    .selectFrom('agents')
    .where('process', '=', 'none')
    .where('id', 'not in', ['human', 'aiswarm'])
    .where('status', 'in', ['offline', 'terminated'])
    .select(({ fn }) => [fn.max('ended_at').as('ended'), fn.max('last_heartbeat').as('silent')])
    .executeTakeFirst()
  return (
    [run?.at, agent?.ended, agent?.silent]
      .filter((at) => at !== null && at !== undefined)
      .sort()
      .at(-1) ?? null
  )
}

export interface RunFilter {
  readonly agentId?: string
  readonly taskId?: number
  /** The runs with these agents' latest numbers. */
  readonly agentIds?: readonly string[]
}

/** Oldest first. */
export const selectRuns = async (db: Db, filter: RunFilter): Promise<readonly AgentRunRow[]> => {
  let query = db.selectFrom('agent_runs').selectAll()
  if (filter.agentId !== undefined) query = query.where('agent_id', '=', filter.agentId)
  if (filter.agentIds !== undefined) query = query.where('agent_id', 'in', [...filter.agentIds])
  if (filter.taskId !== undefined) query = query.where('task_id', '=', filter.taskId)
  return query.orderBy('started_at').orderBy('agent_id').orderBy('run').execute()
}

/** What all runs before this one used in the CLI's session that it goes on with: also those that began later by a clock that was put back since. */
export const sumOfSession = async (
  db: Db,
  session: string,
  { agent_id, run, started_at }: Pick<AgentRunRow, 'agent_id' | 'run' | 'started_at'>,
): Promise<{ tokensIn: number; tokensOut: number; tokensCached: number; costUsd: number }> => {
  const row = await db
    .selectFrom('agent_runs')
    .where('cli_session', '=', session)
    .where((eb) => eb.or([eb('agent_id', '<>', agent_id), eb('run', '<>', run)]))
    .where((eb) => eb.or([eb('started_at', '<', started_at), eb('ended_at', 'is not', null)]))
    .select(({ fn }) => [
      fn.sum<number | null>('tokens_in').as('i'),
      fn.sum<number | null>('tokens_out').as('o'),
      fn.sum<number | null>('tokens_cached').as('c'),
      fn.sum<number | null>('cost_usd').as('u'),
    ])
    .executeTakeFirstOrThrow()
  return { tokensIn: row.i ?? 0, tokensOut: row.o ?? 0, tokensCached: row.c ?? 0, costUsd: row.u ?? 0 }
}
