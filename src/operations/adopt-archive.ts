import { z } from 'zod'
import { insertArchive } from '../db/archives.ts'
import { insertWorktree, selectWorktree } from '../db/worktrees.ts'
import { operation } from './kernel/operation.ts'

export const adoptArchive = operation({
  name: 'adopt_archive',
  summary: 'Enter an archive that the database knows nothing of, as after it was deleted: the refs of the repository outlive it',
  access: 'write',
  authority: 'system',
  input: z.strictObject({
    name: z.string(),
    branch: z.string(),
    source: z.string(),
    path: z.string(),
    baseOid: z.string().nullable(),
    status: z.enum(['integrated', 'discarded']),
    reason: z.string().nullable(),
    createdAt: z.string(),
    endedAt: z.string(),
    archiveRef: z.string(),
    tar: z.string().nullable(),
    trashPath: z.string().nullable(),
  }),
  output: z.object({ adopted: z.boolean() }),
  run: async ({ db, actor }, { name, archiveRef, trashPath, ...found }) => {
    if (await selectWorktree(db, name)) return { adopted: false }
    await insertWorktree(db, {
      name,
      ...{ branch_name: found.branch, source_branch: found.source, path: found.path, base_oid: found.baseOid },
      ...{ created_by: actor.id, created_at: found.createdAt, ended_at: found.endedAt, status: found.status, folder: 'gone' },
      discard_reason: found.status === 'discarded' ? (found.reason ?? 'unknown') : null,
      archive_ref: archiveRef,
      trash_path: trashPath,
    })
    await insertArchive(db, { ref: archiveRef, worktree: name, tar: found.tar, trash_path: trashPath, made_at: found.endedAt })
    return { adopted: true }
  },
  subject: ({ adopted }, { name, archiveRef }) => (adopted ? { worktree: name, details: { archiveRef } } : null),
})
