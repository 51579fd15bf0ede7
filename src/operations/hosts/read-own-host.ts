import { z } from 'zod'
import { selectHost } from '../../db/hosts.ts'
import { operation } from '../door/operation.ts'

export const readOwnHost = operation({
  name: 'read_own_host',
  summary: 'Tell whether the board knows a host by this id',
  access: 'read',
  authority: 'system',
  input: z.strictObject({ hostId: z.string() }),
  output: z.object({ known: z.boolean() }),
  run: async ({ db }, { hostId }) => {
    const host = await selectHost(db, hostId)
    return { known: host !== undefined && host.state !== 'gone' }
  },
})
