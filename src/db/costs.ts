import { sql } from 'kysely'
import type { Instant } from '../domain/words/time.ts'
import { type Db, statement } from './engine/db.ts'
import type { BudgetColumns, TokenColumns, UsageColumns, UsageScope } from './schema/columns.ts'

// The usage of agents, tasks and sessions: sums maintained by triggers, so that each read is one look-up; and when it
// occurred.

export const selectUsage = async (
  db: Db,
  scope: UsageScope,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, UsageColumns>> => {
  if (subjects.length === 0) return new Map()
  const rows = await db
    .selectFrom('usage_totals')
    .leftJoin('unpriced_totals as unpriced', (join) =>
      join.onRef('unpriced.scope', '=', 'usage_totals.scope').onRef('unpriced.subject', '=', 'usage_totals.subject'),
    )
    .where('usage_totals.scope', '=', scope)
    .where('usage_totals.subject', 'in', [...subjects])
    .select(['usage_totals.subject', 'tokens_in', 'tokens_out', 'tokens_cached', 'cost_usd'])
    .select((eb) => eb.fn.coalesce('unpriced.tokens', eb.val(0)).as('tokens_unpriced'))
    .execute()
  return new Map(rows.map((row) => [row.subject, row]))
}

/** The usage of a session's runs, by agent, kind and task; the most expensive first. Reads every run of the session. */
export const selectUsageOfSession = (db: Db, sessionId: string) =>
  db
    .selectFrom('run_sessions')
    .innerJoin('agent_runs', (join) =>
      join.onRef('agent_runs.agent_id', '=', 'run_sessions.agent_id').onRef('agent_runs.run', '=', 'run_sessions.run'),
    )
    .leftJoin('tasks', 'tasks.id', 'agent_runs.task_id')
    .where('run_sessions.session_id', '=', sessionId)
    .select(['agent_runs.agent_id', 'agent_runs.kind', 'agent_runs.task_id', 'tasks.title'])
    .select(({ fn }) => [
      fn.sum<number>('agent_runs.tokens_in').as('tokens_in'),
      fn.sum<number>('agent_runs.tokens_out').as('tokens_out'),
      fn.sum<number>('agent_runs.tokens_cached').as('tokens_cached'),
      fn.sum<number | null>('agent_runs.cost_usd').as('cost_usd'),
    ])
    .select(unpricedTokens.as('tokens_unpriced'))
    .groupBy(['agent_runs.agent_id', 'agent_runs.kind', 'agent_runs.task_id', 'tasks.title'])
    .execute()

/** Tokens, in and out, of runs without a price. */
const unpricedTokens = sql<number>`coalesce(sum(CASE WHEN agent_runs.cost_usd IS NULL THEN agent_runs.tokens_in + agent_runs.tokens_out END), 0)`

/** When the session of a run began; undefined for a run outside of any. */
export const selectSessionStart = async (db: Db, agentId: string, run: number): Promise<Instant | undefined> => {
  const row = await db
    .selectFrom('run_sessions')
    .innerJoin('sessions', 'sessions.id', 'run_sessions.session_id')
    .where('run_sessions.agent_id', '=', agentId)
    .where('run_sessions.run', '=', run)
    .select('sessions.started_at')
    .executeTakeFirst()
  return row?.started_at
}

/**
 * Adds the usage of a run beyond its recorded one to the step of time that begins at `at` (seconds since 1970). If its
 * CLI reports less than before, the latest steps are reduced.
 */
export const recordUsageStep = async (
  db: Db,
  { agent_id, run, at }: { agent_id: string; run: number; at: number },
  used: TokenColumns,
): Promise<void> => {
  const known = await db
    .selectFrom('usage_steps')
    .where('agent_id', '=', agent_id)
    .where('run', '=', run)
    .selectAll()
    .orderBy('at', 'desc')
    .execute()
  const more = { ...used }
  for (const step of known) for (const column of tokenColumns) more[column] -= step[column]
  for (const { at: earlier, ...step } of known.filter(() => tokenColumns.some((column) => more[column] < 0))) {
    const change: Partial<TokenColumns> = {}
    for (const column of tokenColumns) {
      const back = Math.max(-step[column], Math.min(0, more[column]))
      more[column] -= back
      if (back < 0) change[column] = step[column] + back
    }
    if (Object.keys(change).length > 0)
      await db
        .updateTable('usage_steps')
        .set(change)
        .where('agent_id', '=', agent_id)
        .where('run', '=', run)
        .where('at', '=', earlier)
        .execute()
  }
  if (tokenColumns.every((column) => more[column] <= 0)) return
  await db
    .insertInto('usage_steps')
    .values({ agent_id, run, at, ...more })
    .onConflict((conflict) =>
      conflict.columns(['agent_id', 'run', 'at']).doUpdateSet((eb) => ({
        tokens_in: eb('usage_steps.tokens_in', '+', eb.ref('excluded.tokens_in')),
        tokens_out: eb('usage_steps.tokens_out', '+', eb.ref('excluded.tokens_out')),
        tokens_cached: eb('usage_steps.tokens_cached', '+', eb.ref('excluded.tokens_cached')),
      })),
    )
    .execute()
}

const tokenColumns = ['tokens_in', 'tokens_out', 'tokens_cached'] as const

// Budgets that differ from the configured one, and those that wait for a person's answer.

export const selectTaskBudget = async (db: Db, taskId: number): Promise<BudgetColumns | undefined> =>
  (await budgetOfTask(db, { taskId })).rows[0]

const budgetOfTask = statement((db, { taskId }: { taskId: number }) =>
  db.selectFrom('task_budgets').where('task_id', '=', taskId).select(columns),
)

const columns = ['cost_usd', 'tokens', 'step_cost_usd', 'step_tokens', 'asked_at'] as const

export const selectSessionBudget = async (db: Db, sessionId: string): Promise<BudgetColumns | undefined> =>
  db.selectFrom('session_budgets').where('session_id', '=', sessionId).select(columns).executeTakeFirst()

export const setTaskBudget = async (db: Db, taskId: number, budget: BudgetColumns): Promise<void> => {
  await db
    .insertInto('task_budgets')
    .values({ task_id: taskId, ...budget })
    .onConflict((conflict) => conflict.column('task_id').doUpdateSet(budget))
    .execute()
}

export const setSessionBudget = async (db: Db, sessionId: string, budget: BudgetColumns): Promise<void> => {
  await db
    .insertInto('session_budgets')
    .values({ session_id: sessionId, ...budget })
    .onConflict((conflict) => conflict.column('session_id').doUpdateSet(budget))
    .execute()
}

/** Unfinished tasks that have used their budget up and wait for an answer; the oldest question first. */
export const selectAskedTasks = async (db: Db) => {
  // The few questions first, by their own index: in one statement SQLite would read every pending task.
  const asked = await db
    .selectFrom('task_budgets')
    .where('asked_at', 'is not', null)
    .select('task_id')
    .orderBy('task_id', 'desc')
    .limit(500)
    .execute()
  if (asked.length === 0) return []
  return db
    .selectFrom('task_budgets')
    .innerJoin('task_status', 'task_status.task_id', 'task_budgets.task_id')
    .innerJoin('tasks', 'tasks.id', 'task_budgets.task_id')
    .where(
      'task_budgets.task_id',
      'in',
      asked.map(({ task_id }) => task_id),
    )
    .where('task_status.status', 'in', ['pending', 'claimed', 'in_progress'])
    .select([
      'task_budgets.task_id',
      'task_budgets.cost_usd',
      'task_budgets.tokens',
      'task_budgets.asked_at',
      'task_status.status',
      'task_status.assigned_agent_id',
      'tasks.title',
    ])
    .orderBy('task_budgets.asked_at')
    .orderBy('task_budgets.task_id')
    .execute()
}

/**
 * The tasks whose work is paused until a person answers about a budget, each with the task that the question is about:
 * the asked ones, and the racers of those that are raced, which share its budget.
 */
export const selectPausedTasks = async (
  db: Db,
): Promise<
  readonly { readonly task_id: number; readonly asked: number; readonly assigned_agent_id: string | null }[]
> => {
  const asked = (await selectAskedTasks(db)).map(({ task_id, assigned_agent_id }) => ({
    task_id,
    asked: task_id,
    assigned_agent_id,
  }))
  if (asked.length === 0) return []
  const racers = await db
    .selectFrom('races')
    .innerJoin('racers', 'racers.race_id', 'races.id')
    .innerJoin('task_status', 'task_status.task_id', 'racers.task_id')
    .where('races.ended_at', 'is', null)
    .where(
      'races.task_id',
      'in',
      asked.map(({ task_id }) => task_id),
    )
    .select(['racers.task_id', 'races.task_id as asked', 'task_status.assigned_agent_id'])
    .execute()
  return [...asked, ...racers]
}

/**
 * Tasks that wait for a person's decision, of which there are few: about their budget, or about their race, each with a
 * racer.
 */
export const selectUndecided = async (
  db: Db,
): Promise<readonly { readonly task_id: number; readonly racer: number | null }[]> => (await undecided(db, {})).rows

const undecided = statement((db) =>
  db
    .selectFrom('task_budgets')
    .where('asked_at', 'is not', null)
    .select(['task_id', sql<number | null>`CAST(NULL AS INTEGER)`.as('racer')])
    .unionAll(
      db
        .selectFrom('races')
        .innerJoin('racers', 'racers.race_id', 'races.id')
        .where('races.ended_at', 'is', null)
        .select(['races.task_id', 'racers.task_id as racer']),
    )
    .orderBy('racer'),
)

/** An ended task needs no answer. */
export const forgetAsked = async (db: Db, taskId: number): Promise<void> => {
  await forget(db, { taskId })
}

const forget = statement((db, { taskId }: { taskId: number }) =>
  db
    .updateTable('task_budgets')
    .set({ asked_at: null })
    .where('task_id', '=', taskId)
    .where('asked_at', 'is not', null),
)

/** True if the running session has used its budget up and waits for an answer. */
export const askedSession = async (db: Db): Promise<boolean> =>
  (await db
    .selectFrom('session_budgets')
    .innerJoin('sessions', 'sessions.id', 'session_budgets.session_id')
    .where('sessions.status', '=', sql.lit('running'))
    .where('session_budgets.asked_at', 'is not', null)
    .select('sessions.id')
    .executeTakeFirst()) !== undefined

export const setPaused = async (db: Db, agentId: string, run: number, at: Instant | null): Promise<void> => {
  if (at === null) await db.deleteFrom('run_pauses').where('agent_id', '=', agentId).where('run', '=', run).execute()
  else
    await db
      .insertInto('run_pauses')
      .values({ agent_id: agentId, run, paused_at: at })
      .onConflict((conflict) => conflict.columns(['agent_id', 'run']).doNothing())
      .execute()
}

/** When runs were paused, by agent and run. */
export const selectPauses = (db: Db) => db.selectFrom('run_pauses').selectAll().execute()
