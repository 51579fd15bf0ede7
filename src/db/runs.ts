import type { Instant } from '../domain/words/time.ts'
import type { Db } from './engine/db.ts'
import type { AgentRunRow, RunContextsTable } from './schema/agents.ts'
import type { ForkRow } from './schema/tasks.ts'

// The runs of agents, with their contexts, the ends of their output, and the sessions that they were forked from.

type NewRun = Pick<
  AgentRunRow,
  | 'agent_id'
  | 'run'
  | 'task_id'
  | 'attempt'
  | 'kind'
  | 'model'
  | 'cli_session'
  | 'resumed'
  | 'output_offset'
  | 'started_at'
  | 'unconfined'
>

export const insertRun = async (db: Db, run: NewRun): Promise<void> => {
  // A launch that is repeated after a crash is the same run.
  await db
    .insertInto('agent_runs')
    .values(run)
    .onConflict((conflict) => conflict.columns(['agent_id', 'run']).doNothing())
    .execute()
}

/** The usage and report of a run so far. */
type RunReport = Pick<
  AgentRunRow,
  'model' | 'cli_session' | 'tokens_in' | 'tokens_out' | 'tokens_cached' | 'cost_usd' | 'said' | 'problem'
>

export const changeRun = async (
  db: Db,
  agentId: string,
  run: number,
  change: Partial<RunReport & Pick<AgentRunRow, 'ended_at' | 'exit_code'>>,
): Promise<void> => {
  await db.updateTable('agent_runs').set(change).where('agent_id', '=', agentId).where('run', '=', run).execute()
}

export const selectRun = async (db: Db, agentId: string, run: number): Promise<AgentRunRow | undefined> =>
  db.selectFrom('agent_runs').where('agent_id', '=', agentId).where('run', '=', run).selectAll().executeTakeFirst()

/**
 * When the last run, or the last self-registered agent, ended; for a silent agent its last heartbeat. Null if there is
 * none.
 */
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

/** The runs that had begun by `last` and had not ended before `first`. */
export const selectRunsAround = async (
  db: Db,
  first: Instant,
  last: Instant,
): Promise<readonly Pick<AgentRunRow, 'agent_id' | 'started_at' | 'ended_at'>[]> =>
  db
    .selectFrom('agent_runs')
    .where('started_at', '<=', last)
    .where((eb) => eb.or([eb('ended_at', 'is', null), eb('ended_at', '>=', first)]))
    .select(['agent_id', 'started_at', 'ended_at'])
    .orderBy('started_at')
    .orderBy('agent_id')
    .limit(1000)
    .execute()

/** The runs for a worktree that were not confined, oldest first. */
export const selectUnconfinedRuns = async (
  db: Db,
  worktree: string,
): Promise<readonly { readonly agentId: string; readonly why: string }[]> =>
  db
    .selectFrom('agent_runs')
    .leftJoin('tasks', 'tasks.id', 'agent_runs.task_id')
    .leftJoin('agents', 'agents.id', 'agent_runs.agent_id')
    .where('agent_runs.unconfined', 'is not', null)
    .where((eb) =>
      eb.or([
        eb('tasks.target_worktree', '=', worktree),
        eb.and([eb('tasks.target_worktree', 'is', null), eb('agents.assigned_worktree', '=', worktree)]),
      ]),
    )
    .select(['agent_runs.agent_id as agentId', 'agent_runs.unconfined as why'])
    .$narrowType<{ why: string }>()
    .orderBy('agent_runs.started_at')
    .orderBy('agent_runs.agent_id')
    .orderBy('agent_runs.run')
    .execute()

interface RunFilter {
  readonly agentId?: string
  readonly taskId?: number
  /** Only the latest run of each of these agents. */
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

/**
 * The usage of all earlier runs in the CLI's session that it resumes, including those that began later by a clock that
 * was set back since.
 */
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

export const setRunContext = async (db: Db, row: RunContextsTable): Promise<void> => {
  const { agent_id: _, run: __, ...now } = row
  await db
    .insertInto('run_contexts')
    .values(row)
    .onConflict((conflict) => conflict.columns(['agent_id', 'run']).doUpdateSet(now))
    .execute()
}

/** The contexts of these agents' current or last runs. */
export const selectContexts = async (db: Db, agentIds: readonly string[]): Promise<readonly RunContextsTable[]> =>
  agentIds.length === 0
    ? []
    : db
        .selectFrom('run_contexts')
        .innerJoin('agents', (join) =>
          join.onRef('agents.id', '=', 'run_contexts.agent_id').onRef('agents.run', '=', 'run_contexts.run'),
        )
        .where('run_contexts.agent_id', 'in', [...agentIds])
        .selectAll('run_contexts')
        .execute()

export const saveRunTail = async (
  db: Db,
  tail: {
    readonly agent_id: string
    readonly content: string
    readonly size: number
    readonly written_at: Instant
  },
): Promise<void> => {
  const { agent_id, ...rest } = tail
  await db
    .insertInto('run_tails')
    .values({ agent_id, ...rest })
    .onConflict((conflict) => conflict.column('agent_id').doUpdateSet(rest))
    .execute()
}

export const selectRunTail = (db: Db, agentId: string) =>
  db.selectFrom('run_tails').where('agent_id', '=', agentId).selectAll().executeTakeFirst()

export const insertFork = async (db: Db, fork: ForkRow): Promise<void> => {
  await db.insertInto('forks').values(fork).execute()
}

export const selectFork = async (db: Db, taskId: number): Promise<ForkRow | undefined> =>
  db.selectFrom('forks').where('task_id', '=', taskId).selectAll().executeTakeFirst()
