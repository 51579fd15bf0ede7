import { z } from 'zod'
import { findAgent, findPersona } from '../perform/find.ts'
import { agentId } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'

export const readIdentity = operation({
  name: 'read_identity',
  summary: 'Read what a connection must prove to act as an agent',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ agentId }),
  output: () =>
    z.object({
      role: z.enum(['planner', 'worker', 'person']),
      worktree: z.string().nullable(),
      tokenHash: z.string().nullable(),
    }),
  run: async ({ db }, input) => {
    const agent = await findAgent(db, input.agentId)
    const { role } = await findPersona(db, agent.persona_id)
    return {
      role,
      worktree: agent.assigned_worktree,
      tokenHash: agent.status === 'terminated' ? null : agent.token_hash,
    }
  },
})
