import { z } from 'zod'
import { saveFleet } from '../../db/hosts.ts'
import { operation } from '../perform/operation.ts'

export const setSnapshots = operation({
  name: 'set_snapshots',
  summary: 'Allow or forbid that the hosts push uncommitted work to the git remote, once a minute',
  access: 'write',
  authority: 'person',
  grave: true,
  input: () => z.strictObject({ on: z.boolean() }),
  output: () => z.object({ on: z.boolean() }),
  run: async ({ db }, { on }) => {
    await saveFleet(db, { snapshots: on })
    return { on }
  },
  subject: ({ on }) => ({ details: { on } }),
})
