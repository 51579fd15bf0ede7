import { z } from 'zod'
import { rememberFolder } from '../../db/worktree-folders.ts'
import { changeWorktree } from '../../db/worktrees.ts'
import { text } from '../door/inputs.ts'
import { operation } from '../door/operation.ts'
import { endedOf, endedTask, waitingOf, waitingTask } from '../tasks/steps/ended-tasks.ts'
import { abandonUnbuilt } from './abandon-unbuilt.ts'

export const recordWorktree = operation({
  name: 'record_worktree',
  summary: "Record that the folder of a worktree was created, or that it could not be, which ends its tasks' attempts",
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      name: z.string(),
      baseOid: z.string().nullable(),
      error: text(8000).nullable(),
      inode: z.string().optional(),
    }),
  output: () =>
    z.object({
      recorded: z.boolean(),
      cancelled: z.array(z.int()),
      ended: z.array(endedTask()),
      waiting: z.array(waitingTask()),
    }),
  run: async (context, { name, baseOid, error, inode }) => {
    const { db } = context
    if (error !== null) {
      const { recorded, failed, cancelled } = await abandonUnbuilt(context, name, error)
      return {
        recorded,
        cancelled: [...cancelled],
        ended: await endedOf(db, failed),
        waiting: await waitingOf(db, failed),
      }
    }
    const recorded = await changeWorktree(db, name, { folder: 'building' }, { folder: 'ready', base_oid: baseOid })
    if (recorded && inode !== undefined) await rememberFolder(db, name, inode)
    return { recorded, cancelled: [], ended: [], waiting: [] }
  },
  subject: ({ recorded, cancelled, ended, waiting }, { name, error }) =>
    recorded ? { worktree: name, details: error === null ? { error } : { error, cancelled, ended, waiting } } : null,
})
