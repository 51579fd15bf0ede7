import { z } from 'zod'
import { selectPorts } from '../../db/worktree-ports.ts'
import { portPurposes } from '../../domain/worktree/worktree.ts'
import { operation } from '../door/operation.ts'

export const readPorts = operation({
  name: 'read_ports',
  summary: 'List the ports of the worktrees',
  access: 'read',
  authority: 'system',
  input: z.strictObject({}),
  output: z.array(
    z.object({ port: z.int(), worktree: z.string(), purpose: z.enum(portPurposes), served: z.boolean() }),
  ),
  run: async ({ db }) =>
    (await selectPorts(db)).map(({ port, worktree, purpose, served }) => ({
      port,
      worktree,
      purpose,
      served: served === 1,
    })),
})
