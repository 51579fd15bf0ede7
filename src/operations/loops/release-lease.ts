import { z } from 'zod'
import { releaseLease as release } from '../../db/leases.ts'
import { operation } from '../perform/operation.ts'

export const releaseLease = operation({
  name: 'release_lease',
  summary: 'Release an exclusive role',
  access: 'beat',
  authority: 'system',
  input: () => z.strictObject({ name: z.string(), holder: z.string() }),
  output: () => z.null(),
  run: async ({ db }, { name, holder }) => {
    await release(db, name, holder)
    return null
  },
})
