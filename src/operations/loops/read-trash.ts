import { z } from 'zod'
import { selectUnswept } from '../../db/archives.ts'
import { operation } from '../door/operation.ts'

export const readTrash = operation({
  name: 'read_trash',
  summary: 'List the folders of ended worktrees in the trash',
  access: 'read',
  authority: 'anyone',
  input: z.strictObject({}),
  output: z.array(z.object({ worktree: z.string(), trashPath: z.string(), archiveRef: z.string() })),
  run: async ({ db }) =>
    (await selectUnswept(db)).map((row) => ({
      worktree: row.worktree,
      trashPath: row.trash_path!,
      archiveRef: row.ref,
    })),
})
