import { z } from 'zod'
import { deletePort, replacePort, selectPorts } from '../../db/worktrees.ts'
import { LOCAL } from '../../domain/host/host.ts'
import { portPurposes } from '../../domain/worktree/worktree.ts'
import { hostOf } from '../perform/core.ts'
import { findWorktree } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { worktreeName } from '../perform/schemas.ts'

export const leasePort = operation({
  name: 'lease_port',
  summary: 'Assign a worktree another port of this host, unless another worktree has it',
  access: 'write',
  authority: 'system',
  input: () =>
    z.strictObject({
      worktreeName,
      purpose: z.enum(portPurposes),
      port: z.int().min(1).max(65_535),
      served: z.boolean().default(false).describe('True if what set up the worktree listens on it'),
    }),
  output: () => z.object({ leased: z.boolean() }),
  run: async (context, { worktreeName, purpose, port, served }) => {
    const { db, now } = context
    const host = hostOf(context) ?? LOCAL
    const { name } = await findWorktree(db, worktreeName)
    const holder = (await selectPorts(db, { host })).find((row) => row.port === port)
    // Refused before any port of its own is released.
    if (holder && (holder.worktree !== name || holder.purpose !== purpose)) return { leased: false }
    const lease = { host_id: host, port, worktree: name, purpose, served: served ? 1 : 0, leased_at: now }
    return { leased: await replacePort(db, lease) }
  },
  subject: ({ leased }, { worktreeName, purpose, port }) =>
    leased ? { worktree: worktreeName, details: { port, purpose } } : null,
})

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
