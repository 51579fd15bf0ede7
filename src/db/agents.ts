import { sql } from 'kysely'
import { LOST, RESTORED } from '../domain/host/host.ts'
import type { Instant, Tick } from '../domain/words/time.ts'
import { type Db, statement } from './engine/db.ts'
import { selectOver } from './leases.ts'
import type { AgentChange, AgentRow, NewAgent } from './schema/agents.ts'
import type { PersonaRow } from './schema/schema.ts'

// Agents and their personas. 'terminated' is a literal, so that SQLite uses the partial index of the live agents.

export const insertAgent = async (db: Db, agent: NewAgent): Promise<void> => {
  await db.insertInto('agents').values(agent).execute()
}

export const selectAgent = async (db: Db, id: string): Promise<AgentRow | undefined> =>
  (await agentById(db, { id })).rows[0]

const agentById = statement((db, { id }: { id: string }) => db.selectFrom('agents').where('id', '=', id).selectAll())

interface AgentFilter {
  readonly live?: boolean
  readonly parentId?: string
  readonly worktree?: string
  readonly processes?: readonly AgentRow['process'][]
}

export const selectAgents = async (db: Db, filter: AgentFilter = {}): Promise<readonly AgentRow[]> => {
  let query = db
    .selectFrom('agents')
    .selectAll()
    .where('id', 'not in', [...builtIn])
  if (filter.live) query = query.where('status', '<>', sql.lit('terminated'))
  if (filter.parentId !== undefined) query = query.where('parent_agent_id', '=', filter.parentId)
  if (filter.worktree !== undefined) query = query.where('assigned_worktree', '=', filter.worktree)
  if (filter.processes) query = query.where('process', 'in', [...filter.processes])
  return query.orderBy('registered_at').orderBy('id').execute()
}

/** The built-in agents for a person and for the program; lists leave them out. */
const builtIn = ['human', 'aiswarm'] as const

/** The personas of the live agents that registered themselves, so that aiswarm has no process of theirs. */
export const selectSelfRegisteredPersonas = async (db: Db): Promise<readonly string[]> =>
  (
    await db
      .selectFrom('agents')
      .select('persona_id')
      .where('id', 'not in', [...builtIn])
      .where('status', '<>', sql.lit('terminated'))
      .where('process', '=', 'none')
      .execute()
  ).map((row) => row.persona_id)

/** The tasks that each agent holds now. */
export const selectHeldTasks = async (
  db: Db,
  agentIds: readonly string[],
): Promise<readonly { agent_id: string; task_id: number; attempt: number; status: 'claimed' | 'in_progress' }[]> => {
  if (agentIds.length === 0) return []
  const rows = await db
    .selectFrom('task_status')
    .where('assigned_agent_id', 'in', [...agentIds])
    .where('status', 'in', ['claimed', 'in_progress'])
    .select(['assigned_agent_id', 'task_id', 'attempt', 'status'])
    .orderBy('task_id')
    .execute()
  return rows.map((row) => ({
    agent_id: row.assigned_agent_id!,
    task_id: row.task_id,
    attempt: row.attempt,
    status: row.status as 'claimed' | 'in_progress',
  }))
}

/** Changes columns of an agent that no decision rests on, such as its last heartbeat. */
export const setAgent = async (db: Db, id: string, change: AgentChange): Promise<void> => {
  await compareAndSet(db, { ...change, agentId: id, ofStatus: undefined, ofProcess: undefined, ofRun: undefined })
}

/** Records that these agents were seen alive. */
export const renewHeartbeats = async (db: Db, agentIds: readonly string[], at: Instant): Promise<void> => {
  if (agentIds.length > 0) await beat(db, { agentIds, at })
}

const beat = statement((db, { agentIds, at }: { agentIds: readonly string[]; at: Instant }) =>
  db.updateTable('agents').set({ last_heartbeat: at }).where('id', 'in', agentIds),
)

/** The agents whose last run was on a host that was declared lost while it ran. */
export const selectAgentsOfHost = (db: Db, host: string): Promise<readonly AgentRow[]> =>
  db.selectFrom('agents').selectAll().where('host_id', '=', host).where('stop_reason', 'in', [LOST, RESTORED]).execute()

/** Compare-and-set on an agent: the columns of `expected` must still have these values. */
export const changeAgent = async (
  db: Db,
  id: string,
  expected: Partial<Pick<AgentRow, 'status' | 'process' | 'run'>>,
  change: AgentChange,
): Promise<boolean> => {
  const { status: ofStatus, process: ofProcess, run: ofRun } = expected
  return (await compareAndSet(db, { ...change, agentId: id, ofStatus, ofProcess, ofRun })).numAffectedRows === 1n
}

type Comparison = AgentChange & {
  agentId: string
  ofStatus: AgentRow['status'] | undefined
  ofProcess: AgentRow['process'] | undefined
  ofRun: number | undefined
}

const compareAndSet = statement((db, { agentId, ofStatus, ofProcess, ofRun, ...change }: Comparison) => {
  let update = db.updateTable('agents').set(change).where('id', '=', agentId)
  if (ofStatus !== undefined) update = update.where('status', '=', ofStatus)
  if (ofProcess !== undefined) update = update.where('process', '=', ofProcess)
  return ofRun === undefined ? update : update.where('run', '=', ofRun)
})

/**
 * Takes a requested run for its host, with the token that it makes. True also if it has taken it before, as after a crash:
 * the files of the run on its disk then tell what has begun.
 */
export const takeRun = async (db: Db, id: string, run: number, host: string, tokenHash: string): Promise<boolean> =>
  (
    await db
      .updateTable('agents')
      .set({ taken_run: run, token_hash: tokenHash })
      .where('id', '=', id)
      .where('run', '=', run)
      .where('process', '=', 'wanted')
      .where('host_id', '=', host)
      .executeTakeFirst()
  ).numUpdatedRows === 1n

/**
 * The requested runs whose hosts have not taken them though nothing is in the way, as a worktree that is being built would
 * be; and the number of processes on the board that run or are about to.
 */
export const selectUntaken = async (
  db: Db,
): Promise<{
  readonly running: number
  readonly untaken: readonly Pick<AgentRow, 'id' | 'run' | 'parent_agent_id'>[]
}> => {
  const rows = await db
    .selectFrom('agents')
    .leftJoin('worktrees', 'worktrees.name', 'agents.assigned_worktree')
    .where('agents.process', 'in', ['wanted', 'started'])
    .select(['agents.id', 'run', 'parent_agent_id', 'process', 'taken_run', 'stop_requested_at', 'folder'])
    .execute()
  return {
    running: rows.length,
    untaken: rows.filter(
      ({ process, run, taken_run: taken, stop_requested_at: stops, folder }) =>
        process === 'wanted' && taken !== run && stops === null && folder !== 'building',
    ),
  }
}

/** Revokes the token of the run that was started for this task; tokens of self-registered agents stay. */
export const revokeRunToken = async (db: Db, id: string, taskId: number): Promise<void> => {
  await revokeToken(db, { id, taskId })
}

const revokeToken = statement((db, { id, taskId }: { id: string; taskId: number }) =>
  db
    .updateTable('agents')
    .set({ token_hash: null })
    .where('id', '=', id)
    .where('task_id', '=', taskId)
    .where('process', 'in', ['wanted', 'started']),
)

/** Live agents whose term without a heartbeat has expired; the sweep checks each. */
export const selectSilentAgents = async (db: Db, tick: Tick, silent: readonly string[]): Promise<readonly AgentRow[]> =>
  db
    .selectFrom('agents')
    .selectAll()
    .where('id', 'not in', [...builtIn])
    .where('status', 'in', ['active', 'idle'])
    .where('process', '=', 'none')
    .where('host_id', 'not in', [...silent, ''])
    .where('id', 'in', await selectOver(db, 'agent', tick))
    .execute()

/** The agents that ended last. */
export const selectEndedAgents = async (db: Db, limit: number): Promise<readonly AgentRow[]> =>
  db
    .selectFrom('agents')
    .selectAll()
    .where('ended_at', 'is not', null)
    .orderBy('ended_at', 'desc')
    .limit(limit)
    .execute()

export const countEndedAgents = async (db: Db): Promise<number> => {
  const { n } = await db
    .selectFrom('agents')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('ended_at', 'is not', null)
    .executeTakeFirstOrThrow()
  return n
}

/** The number of agents that have not ended. */
export const countLiveAgents = async (db: Db): Promise<number> => {
  const { n } = await db
    .selectFrom('agents')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('status', '<>', sql.lit('terminated'))
    .where('id', 'not in', [...builtIn])
    .executeTakeFirstOrThrow()
  return n
}

/** The number of ids ever used with this prefix. */
export const countAgentIds = async (db: Db, prefix: string): Promise<number> => {
  const { n } = await db
    .selectFrom('agents')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('id', '>=', prefix)
    .where('id', '<', `${prefix}\uffff`)
    .executeTakeFirstOrThrow()
  return n
}

/** Takes a worktree from the agents that were assigned to it. */
export const unassignWorktree = async (db: Db, worktree: string): Promise<void> => {
  await db.updateTable('agents').set({ assigned_worktree: null }).where('assigned_worktree', '=', worktree).execute()
}

export const selectPersona = async (db: Db, id: string): Promise<PersonaRow | undefined> =>
  db.selectFrom('personas').where('id', '=', id).selectAll().executeTakeFirst()

/** All personas for agents. */
export const selectPersonas = async (db: Db): Promise<readonly PersonaRow[]> =>
  db.selectFrom('personas').where('role', '<>', 'person').selectAll().orderBy('id').execute()

export const upsertPersona = async (db: Db, row: PersonaRow): Promise<void> => {
  const { id: _, created_at: __, ...changed } = row
  await db
    .insertInto('personas')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(changed))
    .execute()
}
