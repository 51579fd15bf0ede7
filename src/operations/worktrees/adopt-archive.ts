import { z } from 'zod'
import { insertArchive, insertWorktree, selectWorktree } from '../../db/worktrees.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject } from '../perform/schemas.ts'

/**
 * A worktree at its end. Archives store these fields forever (effects/archive/record.ts): a new one must be optional.
 */
export const endedWorktree = lazyObject(() => ({
  worktree: z.string(),
  branch: z.string(),
  source: z.string(),
  path: z.string(),
  baseOid: z.string().nullable(),
  status: z.enum(['integrated', 'discarded']),
  reason: z.string().nullable(),
  createdAt: z.string(),
  endedAt: z.string(),
}))

export const adoptArchive = operation({
  name: 'adopt_archive',
  summary:
    'Add an archive that the database lacks, for example after it was deleted: the refs of the repository survive it',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      ended: endedWorktree(),
      archiveRef: z.string(),
      tar: z.string().nullable(),
      trashPath: z.string().nullable(),
    }),
  output: () => z.object({ adopted: z.boolean() }),
  run: async ({ db, actor }, { ended, archiveRef, tar, trashPath }) => {
    const { worktree: name, branch, source, path, baseOid, status, reason, createdAt, endedAt } = ended
    if (await selectWorktree(db, name)) return { adopted: false }
    await insertWorktree(db, {
      name,
      ...{ branch_name: branch, source_branch: source, path, base_oid: baseOid },
      ...{ created_by: actor.id, created_at: createdAt, ended_at: endedAt, status, folder: 'gone' },
      discard_reason: status === 'discarded' ? (reason ?? 'unknown') : null,
      archive_ref: archiveRef,
      trash_path: trashPath,
    })
    await insertArchive(db, { ref: archiveRef, worktree: name, tar, trash_path: trashPath, made_at: endedAt })
    return { adopted: true }
  },
  subject: ({ adopted }, { ended, archiveRef }) =>
    adopted ? { worktree: ended.worktree, details: { archiveRef } } : null,
})
