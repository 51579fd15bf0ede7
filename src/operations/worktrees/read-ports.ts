import { z } from 'zod'
import { selectPorts } from '../../db/worktrees.ts'
import { LOCAL } from '../../domain/host/host.ts'
import { portPurposes } from '../../domain/worktree/worktree.ts'
import { hostOf } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'

export const readPorts = operation({
  name: 'read_ports',
  summary: 'List the ports that worktrees have on this host',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({}),
  output: () =>
    z.array(z.object({ port: z.int(), worktree: z.string(), purpose: z.enum(portPurposes), served: z.boolean() })),
  run: async (context) =>
    (await selectPorts(context.db, { host: hostOf(context) ?? LOCAL })).map(({ port, worktree, purpose, served }) => ({
      port,
      worktree,
      purpose,
      served: served === 1,
    })),
})
