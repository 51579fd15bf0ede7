import { z } from 'zod'
import { selectWorktree } from '../../db/worktrees.ts'
import { operation } from '../perform/operation.ts'

export const readContinued = operation({
  name: 'read_continued',
  summary: 'Read the worktrees that another one continues, the nearest first, and the last snapshot of each',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ worktree: z.string() }),
  output: () => z.array(z.object({ name: z.string(), hostId: z.string(), wipOid: z.string().nullable() })),
  run: async ({ db }, { worktree }) => {
    const found = new Map<string, { name: string; hostId: string; wipOid: string | null }>()
    for (let name: string | null = worktree; name !== null && !found.has(name);) {
      const row = await selectWorktree(db, name)
      if (row === undefined) break
      found.set(name, { name, hostId: row.host_id, wipOid: row.wip_oid })
      name = row.continues
    }
    return [...found.values()]
  },
})
