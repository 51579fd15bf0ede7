import { z } from 'zod'
import { findAgent } from './kernel/find.ts'
import { agentId } from './kernel/inputs.ts'
import { operation } from './kernel/operation.ts'
import { agentView, viewAgents } from './kernel/views.ts'

export const getAgent = operation({
  name: 'get_agent',
  summary: 'Show one agent',
  access: 'read',
  authority: 'anyone',
  input: z.strictObject({ agentId }),
  output: agentView,
  run: async ({ db }, { agentId }) => (await viewAgents(db, [await findAgent(db, agentId)]))[0]!,
})
