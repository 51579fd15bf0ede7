import { z } from 'zod'
import { changeWorktree, selectWorktree } from '../../db/worktrees.ts'
import type { Instant } from '../../domain/words/time.ts'
import { operation } from '../perform/operation.ts'

type Change = Parameters<typeof changeWorktree>[3]

/** Records which commit of a worktree the git remote has, and since when; null: none. */
const recordOnRemote = (name: string, summary: string, change: (oid: string | null, at: Instant | null) => Change) =>
  operation({
    ...{ name, summary },
    access: 'beat',
    authority: 'system',
    input: () =>
      z.strictObject({
        worktree: z.string(),
        oid: z
          .string()
          .regex(/^[0-9a-f]{40,64}$/)
          .nullable(),
      }),
    output: () => z.object({ recorded: z.boolean() }),
    run: async ({ db, now }, { worktree, oid }) => {
      const row = await selectWorktree(db, worktree)
      if (row === undefined) return { recorded: false }
      const at = oid === null ? null : now
      return { recorded: await changeWorktree(db, worktree, { folder: row.folder }, change(oid, at)) }
    },
  })

export const recordPushed = recordOnRemote(
  'record_pushed',
  'Record that the branch of a worktree is on the remote as on its host, or that it must be pushed again',
  (oid, at) => ({ pushed_oid: oid, pushed_at: at }),
)

export const recordSnapshot = recordOnRemote(
  'record_snapshot',
  'Record the snapshot of the uncommitted work of a worktree that is on the remote, or that there is none',
  (oid, at) => ({ wip_oid: oid, wip_at: at }),
)
