import { z } from 'zod'
import { selectUnconfinedRuns } from '../../db/runs.ts'
import { findWorktree } from '../perform/find.ts'
import { worktreeName } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'

export const readUnconfined = operation({
  name: 'read_unconfined',
  summary: 'Read which agents worked on a worktree without a sandbox, and why',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({ worktreeName }),
  output: () => z.array(z.object({ agents: z.array(z.string()), why: z.string() })),
  run: async ({ db }, input) => {
    await findWorktree(db, input.worktreeName)
    const runs = await selectUnconfinedRuns(db, input.worktreeName)
    return [...Map.groupBy(runs, ({ why }) => why)].map(([why, ofWhy]) => ({
      agents: [...new Set(ofWhy.map(({ agentId }) => agentId))],
      why,
    }))
  },
})
