import { z } from 'zod'
import { selectLease, takeLease as take } from '../../db/leases.ts'
import { operation } from '../perform/operation.ts'

export const readRole = operation({
  name: 'read_role',
  summary: 'Say whether an exclusive role has no holder, because it was never taken or was given back',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ name: z.string() }),
  output: () => z.object({ free: z.boolean() }),
  run: async ({ db }, { name }) => ({ free: (await selectLease(db, name)) === undefined }),
})

export const takeLease = operation({
  name: 'take_lease',
  summary: 'Acquire or renew an exclusive role: the supervisor, the builder of worktrees',
  access: 'beat',
  // Renewed every few seconds: otherwise an idle console would reload the whole board each time.
  quiet: true,
  authority: 'system',
  input: () => z.strictObject({ name: z.string(), holder: z.string(), pid: z.int(), ttl: z.int().min(1) }),
  output: () =>
    z.object({
      granted: z.boolean(),
      holder: z.string(),
      holderPid: z.int(),
      expiresAt: z.string(),
      term: z.int(),
      /** How long no process has had the role although one had taken it (ms). */
      lapsed: z.int(),
    }),
  run: async ({ db, now, tick }, { name, holder, pid, ttl }) => {
    const { granted, lapsed } = await take(db, { name, holder, holder_pid: pid, now, tick, ttl })
    const lease = (await selectLease(db, name))!
    return {
      ...{ granted, lapsed, holder: lease.holder, holderPid: lease.holder_pid },
      ...{ expiresAt: lease.expires_at, term: lease.term },
    }
  },
})
