import { z } from 'zod'
import { changeHost, selectHost } from '../../db/hosts.ts'
import { hostOf } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'

export const recordRemote = operation({
  name: 'record_remote',
  summary: 'Record that the git remote of the board answers this host, or that it does not',
  access: 'beat',
  authority: 'system',
  input: () => z.strictObject({ answers: z.boolean() }),
  output: () => z.object({ recorded: z.boolean() }),
  run: async (context, { answers }) => {
    const { db, now } = context
    const host = await selectHost(db, hostOf(context) ?? '')
    if (host === undefined) return { recorded: false }
    const since = answers ? null : (host.remote_silent_since ?? now)
    if (since === host.remote_silent_since) return { recorded: false }
    return { recorded: await changeHost(db, host.id, { states: [host.state] }, { remote_silent_since: since }) }
  },
})
