import { z } from 'zod'
import { findAgent } from '../perform/find.ts'
import { agentId } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { agentView, viewAgents } from '../views/agents.ts'

export const getAgent = operation({
  name: 'get_agent',
  summary: 'Show one agent',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ agentId }),
  output: agentView,
  run: async ({ db }, { agentId }) => (await viewAgents(db, [await findAgent(db, agentId)]))[0]!,
})
