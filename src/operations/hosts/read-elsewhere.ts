import { z } from 'zod'
import { selectAgent } from '../../db/agents.ts'
import { selectHosts } from '../../db/hosts.ts'
import { selectHostsOf, selectWorktrees } from '../../db/worktrees.ts'
import { hostOf } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'

export const readElsewhere = operation({
  name: 'read_elsewhere',
  summary: 'Name the other hosts where live worktrees lie, and the one where an agent runs',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ worktree: z.string().optional(), agentId: z.string().optional() }),
  output: () =>
    z.object({
      /** The name of the host of each worktree that does not lie here. */
      worktrees: z.record(z.string(), z.string()),
      /** Null if the agent runs here, or is not known. */
      agent: z.string().nullable(),
    }),
  run: async (context, { worktree, agentId }) => {
    const { db } = context
    const here = hostOf(context)
    const names = new Map((await selectHosts(db)).map(({ id, name }) => [id, name]))
    const nameOf = (id: string): string => names.get(id) ?? id
    const hosts =
      worktree === undefined
        ? new Map((await selectWorktrees(db)).map(({ name, host_id }) => [name, host_id]))
        : await selectHostsOf(db, [worktree])
    const agent = agentId === undefined ? undefined : await selectAgent(db, agentId)
    return {
      worktrees: Object.fromEntries([...hosts].flatMap(([name, id]) => (id === here ? [] : [[name, nameOf(id)]]))),
      agent: agent === undefined || agent.host_id === here ? null : nameOf(agent.host_id),
    }
  },
})
