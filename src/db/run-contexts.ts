import type { Db } from './sqlite.ts'

/** The columns of migrations/006_ContextHealth.sql. */
export interface RunContextsTable {
  agent_id: string
  run: number
  tokens: number
  context_window: number
  estimated: number
}

export const setRunContext = async (db: Db, row: RunContextsTable): Promise<void> => {
  const { agent_id: _, run: __, ...now } = row
  await db
    .insertInto('run_contexts')
    .values(row)
    .onConflict((conflict) => conflict.columns(['agent_id', 'run']).doUpdateSet(now))
    .execute()
}

/** The contexts of the runs that these agents are in, or were in last. */
export const selectContexts = async (db: Db, agentIds: readonly string[]): Promise<readonly RunContextsTable[]> =>
  agentIds.length === 0
    ? []
    : db
        .selectFrom('run_contexts')
        .innerJoin('agents', (join) => join.onRef('agents.id', '=', 'run_contexts.agent_id').onRef('agents.run', '=', 'run_contexts.run'))
        .where('run_contexts.agent_id', 'in', [...agentIds])
        .selectAll('run_contexts')
        .execute()
