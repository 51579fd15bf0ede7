import { z } from 'zod'
import { selectUnswept } from '../../db/worktrees.ts'
import { hostOf } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'
import { onHost } from '../hosts/hosts.ts'

export const readTrash = operation({
  name: 'read_trash',
  summary: 'List the folders of ended worktrees in the trash of this host',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({}),
  output: () => z.array(z.object({ worktree: z.string(), trashPath: z.string(), archiveRef: z.string() })),
  run: async (context) =>
    (await onHost(context.db, hostOf(context), await selectUnswept(context.db), ({ worktree }) => worktree)).map(
      (row) => ({
        worktree: row.worktree,
        trashPath: row.trash_path!,
        archiveRef: row.ref,
      }),
    ),
})
