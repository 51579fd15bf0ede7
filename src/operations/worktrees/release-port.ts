import { z } from 'zod'
import { deletePort } from '../../db/worktrees.ts'
import { portPurposes } from '../../domain/worktree/worktree.ts'
import { worktreeName } from '../perform/schemas.ts'
import { operation } from '../perform/operation.ts'

export const releasePort = operation({
  name: 'release_port',
  summary: 'Release the port of a worktree',
  access: 'beat',
  authority: 'system',
  input: () => z.strictObject({ worktreeName, purpose: z.enum(portPurposes) }),
  output: () => z.null(),
  run: async ({ db }, { worktreeName, purpose }) => {
    await deletePort(db, worktreeName, purpose)
    return null
  },
})
