import { z } from 'zod'
import { saveFleet } from '../../db/hosts.ts'
import { protocolOf, refPlaces } from '../../domain/host/remote.ts'
import { operation } from '../perform/operation.ts'

export const setRemote = operation({
  name: 'set_remote',
  summary: 'Set the git remote through which the hosts of the board exchange code',
  access: 'write',
  authority: 'person',
  grave: true,
  input: () =>
    z.strictObject({
      url: z.string().min(1).max(2000),
      /** Where it takes the refs of aiswarm. */
      refs: z.enum(refPlaces).default('own'),
    }),
  output: () => z.object({ remote: z.string() }),
  run: async ({ db }, { url, refs }) => {
    protocolOf(url)
    await saveFleet(db, { remote: url, remote_refs: refs })
    return { remote: url }
  },
  subject: ({ remote }) => ({ details: { remote } }),
})
