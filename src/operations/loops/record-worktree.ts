import { z } from 'zod'
import { changeWorktree, rememberFolder, selectWorktree } from '../../db/worktrees.ts'
import { text } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'
import { endedOf, endedTask, waitingOf, waitingTask } from '../tasks/attempts.ts'
import { leaveFormer } from '../worktrees/give-back.ts'
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
      /** The worktree that has its tasks again, if it should have continued that one. */
      back: z.object({ worktree: z.string(), tasks: z.array(z.int()) }).optional(),
      /** True if it is built on another host, or later. */
      rests: z.literal(true).optional(),
    }),
  run: async (context, { name, baseOid, error, inode }) => {
    const { db } = context
    if (error !== null) {
      const { recorded, failed, cancelled, back, rests } = await abandonUnbuilt(context, name, error)
      return {
        recorded,
        cancelled: [...cancelled],
        ended: await endedOf(db, failed),
        waiting: await waitingOf(db, failed),
        ...(back === undefined ? {} : { back: { worktree: back.worktree, tasks: [...back.tasks] } }),
        ...(rests === undefined ? {} : { rests }),
      }
    }
    const built = { folder: 'ready', base_oid: baseOid, not_continued: '[]' } as const
    const recorded = await changeWorktree(db, name, { folder: 'building' }, built)
    if (recorded && inode !== undefined) await rememberFolder(db, name, inode)
    if (recorded) await leaveFormer(context, (await selectWorktree(db, name))!)
    return { recorded, cancelled: [], ended: [], waiting: [] }
  },
  subject: ({ recorded, cancelled, ended, waiting, back, rests }, { name, error }) =>
    recorded
      ? {
          worktree: name,
          details:
            error === null
              ? { error }
              : { error, cancelled, ended, waiting, ...(back ? { back } : {}), ...(rests ? { rests } : {}) },
        }
      : null,
})
