import { z } from 'zod'
import { selectAgents } from '../../db/agents.ts'
import { worktreeName } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { agentView, viewAgents } from '../views/agents.ts'

export const listAgents = operation({
  name: 'list_agents',
  summary: 'List the agents that have not ended, or all of them',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ all: z.boolean().default(false), worktree: worktreeName.optional() }),
  output: () => z.array(agentView()),
  run: async ({ db }, { all, worktree }) =>
    viewAgents(db, await selectAgents(db, { live: !all, ...(worktree === undefined ? {} : { worktree }) })),
})
