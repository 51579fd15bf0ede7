import { z } from 'zod'
import { takeRun as take } from '../../db/agents.ts'
import { hostOf } from '../perform/core.ts'
import { agentId } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { hashToken } from '../perform/token.ts'

export const takeRun = operation({
  name: 'take_run',
  summary: 'Take run N of an agent for this host, before anything of it is started, and issue its token',
  access: 'beat',
  quiet: true,
  authority: 'system',
  input: () => z.strictObject({ agentId, run: z.int().min(1) }),
  /** False if it is another host's, or was ended or recorded meanwhile. */
  output: () => z.object({ taken: z.boolean() }),
  run: async (context, { agentId, run }) => {
    const host = hostOf(context)
    if (host === null) return { taken: false }
    return { taken: await take(context.db, agentId, run, host, hashToken(context.launchToken(agentId, run))) }
  },
})
