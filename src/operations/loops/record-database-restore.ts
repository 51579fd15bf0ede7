import { z } from 'zod'
import { operation } from '../perform/operation.ts'

export const recordDatabaseRestore = operation({
  name: 'record_database_restore',
  summary: 'Record in the restored database that it was restored, and where the replaced one is',
  access: 'write',
  authority: 'person',
  input: () => z.strictObject({ from: z.string(), kept: z.string().nullable() }),
  output: () => z.object({}),
  run: async () => ({}),
  subject: (_, { from, kept }) => ({ details: { from, kept } }),
})
