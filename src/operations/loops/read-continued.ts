import { z } from 'zod'
import { selectWorktree } from '../../db/worktrees.ts'
import { LOCAL } from '../../domain/host/host.ts'
import { operation } from '../door/operation.ts'

export const readContinued = operation({
  name: 'read_continued',
  summary: 'Read where the worktree was that another one continues, and the last snapshot of its uncommitted work',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ worktree: z.string() }),
  output: () => z.object({ hostId: z.string(), wipOid: z.string().nullable() }),
  run: async ({ db }, { worktree }) => {
    const row = await selectWorktree(db, worktree)
    return { hostId: row?.host_id ?? LOCAL, wipOid: row?.wip_oid ?? null }
  },
})
