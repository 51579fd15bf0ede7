import { z } from 'zod'
import { renewLease as renew } from '../../db/leases.ts'
import { operation } from '../perform/operation.ts'

export const renewLease = operation({
  name: 'renew_lease',
  summary: 'Renew an exclusive role that no other process has taken',
  access: 'beat',
  quiet: true,
  authority: 'system',
  input: () => z.strictObject({ name: z.string(), holder: z.string(), ttl: z.int().min(1) }),
  output: () => z.object({ held: z.boolean() }),
  run: async ({ db, now, tick }, { name, holder, ttl }) => ({
    held: await renew(db, { name, holder, now, tick, ttl }),
  }),
})
