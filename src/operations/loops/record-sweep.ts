import { z } from 'zod'
import { changeArchive, selectUnswept } from '../../db/worktrees.ts'
import { operation } from '../perform/operation.ts'

export const recordSweep = operation({
  name: 'record_sweep',
  summary: 'Record that folders of ended worktrees are no longer in the trash; their archives are kept',
  access: 'write',
  authority: 'system',
  input: () => z.strictObject({ trashPaths: z.array(z.string()) }),
  output: () => z.object({ worktrees: z.array(z.string()) }),
  run: async ({ db, now }, { trashPaths }) => {
    const worktrees: string[] = []
    for (const { ref, worktree, trash_path } of await selectUnswept(db)) {
      if (!trashPaths.includes(trash_path!)) continue
      if (await changeArchive(db, ref, { swept_at: null }, { swept_at: now })) worktrees.push(worktree)
    }
    return { worktrees }
  },
  subject: (_, { trashPaths }) => (trashPaths.length === 0 ? null : { details: { trashPaths } }),
})
