import { z } from 'zod'
import { selectFleet, selectHosts } from '../../db/hosts.ts'
import { refPlaces } from '../../domain/host/remote.ts'
import { operation } from '../perform/operation.ts'
import { remoteView, usedRemote } from './steps/exchange.ts'

export const readRemote = operation({
  name: 'read_remote',
  summary: 'Read the git remote of the board, and whether its hosts exchange code through it',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({}),
  output: () =>
    z.object({
      remote: z.string().nullable(),
      /** Where it takes the refs of aiswarm. */
      refs: z.enum(refPlaces),
      /** The remote, if there is more than one host; null otherwise. */
      used: remoteView().nullable(),
      hosts: z.int(),
      /** True if a person allows that uncommitted files are pushed there. */
      snapshots: z.boolean(),
    }),
  run: async (context) => {
    const { remote, remote_refs: refs, snapshots } = await selectFleet(context.db)
    return {
      ...{ remote, refs, snapshots },
      used: await usedRemote(context),
      hosts: (await selectHosts(context.db)).length,
    }
  },
})

export type RemoteRead = z.output<typeof readRemote.output>
