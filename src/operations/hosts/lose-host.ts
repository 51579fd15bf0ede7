import { z } from 'zod'
import { selectHost } from '../../db/hosts.ts'
import { LOCAL, silentSince } from '../../domain/host/host.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { operation } from '../perform/operation.ts'
import { refuseUnlessLeading } from '../perform/roles.ts'
import { hostView, viewHosts } from './list-hosts.ts'
import { findHost } from './steps/find-host.ts'
import { giveUp } from './give-up.ts'

export const loseHost = operation({
  name: 'lose_host',
  summary: 'Declare a host lost: its agents do not count any more, and their tasks can be worked on elsewhere',
  access: 'write',
  authority: 'person',
  grave: true,
  input: () => z.strictObject({ host: z.string().min(1) }),
  output: () => hostView().extend({ ended: z.array(z.string()) }),
  run: async (context, { host: named }) => {
    const { db } = context
    const host = await findHost(db, named)
    const { id, name, state } = host
    if (id === LOCAL)
      throw new Refusal(
        'invalid_state',
        `Host ${name} has the main checkout of this board, so it cannot be declared lost. Start aiswarm there again.`,
      )
    if (state === 'lost' || state === 'gone') throw new Refusal('invalid_state', `Host ${name} is ${state} already.`)
    const ended = await giveUp(context, host)
    return { ...(await viewHosts(context, [await findHost(db, id)]))[0]!, ended }
  },
  subject: ({ name, epoch, ended }) => ({ details: { host: name, epoch, ended } }),
})

export const loseSilentHost = operation({
  name: 'lose_silent_host',
  summary: 'Declare a host lost that has been silent for too long, by the process that plans for the board',
  access: 'write',
  authority: 'system',
  /** `beatAt`: the last heartbeat that was seen, since a later one refutes the silence. */
  input: () => z.strictObject({ hostId: z.string(), beatAt: z.string() }),
  output: () => z.object({ lost: z.boolean(), name: z.string(), epoch: z.int(), ended: z.array(z.string()) }),
  run: async (context, { hostId, beatAt }) => {
    await refuseUnlessLeading(context)
    const { db, now, settings } = context
    const host = await findHost(db, hostId)
    const { name, epoch } = host
    const isLost =
      // The main checkout is there, and no other host has its work.
      hostId !== LOCAL &&
      host.beat_at === beatAt &&
      silentSince({ state: host.state, beatAt }, now, settings.fleet.lostAfter) !== undefined
    const ended = isLost ? await giveUp(context, host) : []
    return { lost: isLost, name, epoch: (await selectHost(db, hostId))?.epoch ?? epoch, ended }
  },
  subject: ({ lost, name, epoch, ended }) => (lost ? { details: { host: name, epoch, ended } } : null),
})
