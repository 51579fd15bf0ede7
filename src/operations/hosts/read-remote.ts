import { z } from 'zod'
import { selectHosts, selectRemote } from '../../db/hosts.ts'
import { operation } from '../door/operation.ts'
import { usedRemote } from './steps/exchange.ts'

export const readRemote = operation({
  name: 'read_remote',
  summary: 'Read the git remote of the board, and whether its hosts exchange code through it',
  access: 'read',
  authority: 'anyone',
  input: z.strictObject({}),
  output: z.object({
    remote: z.string().nullable(),
    /** The remote, if there is more than one host; null otherwise. */
    used: z.string().nullable(),
    hosts: z.int(),
  }),
  run: async (context) => ({
    remote: await selectRemote(context.db),
    used: await usedRemote(context),
    hosts: (await selectHosts(context.db)).length,
  }),
})
