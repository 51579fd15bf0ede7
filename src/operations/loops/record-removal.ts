import { z } from 'zod'
import { changeWorktree, insertArchive } from '../../db/worktrees.ts'
import { census } from '../worktrees/census.ts'
import { operation } from '../perform/operation.ts'

export const recordRemoval = operation({
  name: 'record_removal',
  summary: 'Record where the content of an ended worktree was archived and its folder was moved',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      name: z.string(),
      archiveRef: z.string().nullable(),
      trashPath: z.string().nullable(),
      tar: z.string().nullable().default(null),
      census: census().nullable().default(null),
    }),
  output: () => z.object({ recorded: z.boolean() }),
  run: async ({ db, now }, { name, archiveRef, trashPath, tar, census }) => {
    const recorded = await changeWorktree(
      db,
      name,
      { folder: 'leaving' },
      { folder: 'gone', archive_ref: archiveRef, trash_path: trashPath },
    )
    if (recorded && archiveRef !== null) {
      await insertArchive(db, {
        ref: archiveRef,
        worktree: name,
        tar,
        trash_path: trashPath,
        made_at: now,
        census: census === null ? null : JSON.stringify(census),
      })
    }
    return { recorded }
  },
  subject: ({ recorded }, { name, archiveRef, trashPath, tar }) =>
    recorded ? { worktree: name, details: { archiveRef, trashPath, tar } } : null,
})
