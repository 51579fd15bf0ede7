import { z } from 'zod'
import { setDeadline } from '../../db/leases.ts'
import { insertAgent, selectAgent } from '../../db/agents.ts'
import { LOCAL } from '../../domain/host/host.ts'
import { checkId } from '../../domain/rules/names.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { findActiveWorktree, findAgent, findPersona } from '../perform/find.ts'
import { personaId, worktreeName } from '../perform/schemas.ts'
import { refuseMoreAgents } from '../tasks/limits.ts'
import { newAgent } from '../runs/agents.ts'
import { hostOf } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { hashToken } from '../perform/token.ts'
import { agentView, viewAgents } from '../views/agents.ts'

export const registerAgent = operation({
  name: 'register_agent',
  summary: 'Register an external agent; its heartbeats show that it is alive',
  access: 'write',
  authority: 'planner',
  input: () => z.strictObject({ id: z.string(), personaId, worktree: worktreeName.optional() }),
  output: () => agentView().extend({ token: z.string() }),
  run: async (context, input) => {
    const { db } = context
    checkId('agent', input.id)
    await findPersona(db, input.personaId)
    if (input.worktree !== undefined) await findActiveWorktree(db, input.worktree)
    if (await selectAgent(db, input.id))
      throw new Refusal('already_exists', `Agent ${input.id} already exists. Choose another id.`)
    await refuseMoreAgents(db)
    const token = context.newToken()
    await insertAgent(db, {
      ...newAgent(context, input.id, input.personaId),
      kind: 'external',
      assigned_worktree: input.worktree ?? null,
      token_hash: hashToken(token),
      // Where it can be heard: only that host can say that it is silent.
      host_id: hostOf(context) ?? LOCAL,
    })
    await setDeadline(db, 'agent', input.id, context.tick, context.settings.lease.ttl)
    return { ...(await viewAgents(db, [await findAgent(db, input.id)]))[0]!, token }
  },
  subject: (agent) => ({ agentId: agent.id, worktree: agent.assignedWorktree }),
})
