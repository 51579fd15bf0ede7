import { z } from 'zod'
import { advanceWatchedTarget } from '../../db/repository.ts'
import { operation } from '../perform/operation.ts'

const oid = z.string().regex(/^[0-9a-f]{40,64}$/)

export const recordFollowed = operation({
  name: 'record_followed',
  summary: 'Record that the target branch of the main checkout has followed the remote',
  access: 'write',
  authority: 'system',
  input: () => z.strictObject({ target: z.string(), from: oid, to: oid }),
  output: () => z.null(),
  run: async ({ db }, { target, from, to }) => {
    await advanceWatchedTarget(db, target, from, to)
    return null
  },
  subject: (_, { target, from, to }) => ({ details: { target, from, to } }),
})
