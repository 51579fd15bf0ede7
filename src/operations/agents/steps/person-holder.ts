import { countAgentIds, insertAgent, selectAgent } from '../../../db/agents.ts'
import { setDeadline } from '../../../db/leases.ts'
import type { AgentRow } from '../../../db/schema/agents.ts'
import { agentIdOf } from '../../../domain/agent/agent.ts'
import type { Context } from '../../perform/core.ts'
import { findAgent } from '../../perform/find.ts'
import { newAgent } from './new-agent.ts'

/** The row by which a person holds a task: alive while a console sends heartbeats for it. */
export const addHolder = async (
  context: Context,
  personaId: string,
  more: Partial<Pick<AgentRow, 'assigned_worktree' | 'parent_agent_id'>> = {},
): Promise<AgentRow> => {
  const { db } = context
  const id = await freeHolderId(context)
  await insertAgent(db, { ...newAgent(context, id, personaId), ...more })
  await setDeadline(db, 'agent', id, context.tick, context.settings.lease.ttl)
  return findAgent(db, id)
}

const freeHolderId = async ({ db }: Context): Promise<string> => {
  for (let n = (await countAgentIds(db, agentIdOf('human', ''))) + 1; ; n++) {
    const id = agentIdOf('human', n)
    if (!(await selectAgent(db, id))) return id
  }
}
