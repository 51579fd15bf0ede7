import { z } from 'zod'
import { changeArchive, selectUnswept } from '../../db/archives.ts'
import { operation } from '../door/operation.ts'

export const recordSweep = operation({
  name: 'record_sweep',
  summary: 'Record that folders of ended worktrees are no longer in the trash; their archives are kept',
  access: 'write',
  authority: 'system',
  input: z.strictObject({ trashPaths: z.array(z.string()) }),
  output: z.object({ worktrees: z.array(z.string()) }),
  run: async ({ db, now }, { trashPaths }) => {
    const gone = (await selectUnswept(db)).filter(({ trash_path }) => trashPaths.includes(trash_path!))
    for (const { ref } of gone) await changeArchive(db, ref, { swept_at: now })
    return { worktrees: gone.map(({ worktree }) => worktree) }
  },
  subject: (_, { trashPaths }) => (trashPaths.length === 0 ? null : { details: { trashPaths } }),
})
