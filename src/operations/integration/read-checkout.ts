import { z } from 'zod'
import { selectWatchedCheckout } from '../../db/repository.ts'
import { operation } from '../perform/operation.ts'

export const readCheckout = operation({
  name: 'read_checkout',
  summary: 'Read the changes of the main checkout at the last check',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({}),
  output: () => z.record(z.string(), z.string()).nullable(),
  run: async ({ db }) => {
    const row = await selectWatchedCheckout(db)
    return row === undefined ? null : (JSON.parse(row.files) as Record<string, string>)
  },
})
