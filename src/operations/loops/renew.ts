import { z } from 'zod'
import { renewHeartbeats } from '../../db/agents.ts'
import { extendLeases } from '../../db/leases.ts'
import { agentId } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { refuseLapsed } from '../perform/roles.ts'

export const renew = operation({
  name: 'renew',
  summary: 'Renew heartbeat and leases of agents whose processes were seen alive',
  access: 'beat',
  authority: 'system',
  input: () => z.strictObject({ agentIds: z.array(agentId) }),
  output: () => z.null(),
  run: async (context, { agentIds }) => {
    await refuseLapsed(context)
    const { db, now, settings } = context
    await renewHeartbeats(db, agentIds, now)
    await extendLeases(db, agentIds, context, settings.lease.ttl)
    return null
  },
})
