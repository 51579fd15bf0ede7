import { z } from 'zod'
import { changeHost, selectHost } from '../../db/hosts.ts'
import { LOCAL } from '../../domain/host/host.ts'
import { operation } from '../perform/operation.ts'

export const claimFirstHost = operation({
  name: 'claim_first_host',
  summary: 'Become the first host of a board on a server, if no other checkout has',
  access: 'beat',
  authority: 'system',
  input: () => z.strictObject({ name: z.string().min(1), machine: z.string(), root: z.string() }),
  output: () => z.object({ claimed: z.boolean() }),
  run: async ({ db, now }, { name, machine, root }) => {
    const first = await selectHost(db, LOCAL)
    if (first?.root !== null)
      // A process that ended before it could remember the answer asks again.
      return { claimed: first?.root === root && first.machine === machine }
    return {
      claimed: await changeHost(db, LOCAL, { states: ['up'] }, { name, machine, root, joined_at: now }),
    }
  },
})
