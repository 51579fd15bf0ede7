import { z } from 'zod'
import { changeArchive, changeWorktree, rememberFolder, selectLatestArchive } from '../../db/worktrees.ts'
import { text } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'

export const recordRestore = operation({
  name: 'record_restore',
  summary: 'Record that a worktree was restored, or why it could not be, which leaves it ended',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      name: z.string(),
      branch: z.string(),
      error: text(8000).nullable(),
      inode: z.string().optional(),
    }),
  output: () => z.object({ recorded: z.boolean() }),
  run: async ({ db, now }, { name, branch, error, inode }) => {
    const archive = await selectLatestArchive(db, name)
    if (!archive || archive.restore_wanted_at === null) return { recorded: false }
    const answered = await changeArchive(
      db,
      archive.ref,
      { restore_wanted_at: archive.restore_wanted_at },
      {
        restore_wanted_at: null,
        restore_branch: null,
        ...(error === null ? { restored_at: now } : {}),
      },
    )
    if (!answered || error !== null) return { recorded: answered }
    if (inode !== undefined) await rememberFolder(db, name, inode)
    const active = {
      status: 'active',
      folder: 'ready',
      branch_name: branch,
      ended_at: null,
      discard_reason: null,
      integration_target: null,
    } as const
    return { recorded: await changeWorktree(db, name, { folder: 'gone' }, active) }
  },
  subject: ({ recorded }, { name, branch, error }) =>
    recorded ? { worktree: name, details: { branch, error } } : null,
})
