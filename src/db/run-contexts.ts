import type { Db } from './engine/db.ts'
import type { RunContextsTable } from './schema/runs.ts'

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
