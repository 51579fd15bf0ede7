import { z } from 'zod'
import { selectAgents } from '../../db/agents.ts'
import { changeHost } from '../../db/hosts.ts'
import { releaseLease, selectLease } from '../../db/leases.ts'
import { LOCAL, LOST } from '../../domain/host/host.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { endStopped } from '../agents/steps/stop-agents.ts'
import { must } from '../door/must.ts'
import { operation } from '../door/operation.ts'
import { hostRole } from '../door/supervision.ts'
import { hostView, viewHosts } from './list-hosts.ts'
import { findHost } from './steps/find-host.ts'

export const loseHost = operation({
  name: 'lose_host',
  summary: 'Declare a host lost: its agents do not count any more, and their tasks can be worked on elsewhere',
  access: 'write',
  authority: 'person',
  grave: true,
  input: z.strictObject({ host: z.string().min(1) }),
  output: hostView.extend({ ended: z.array(z.string()) }),
  run: async (context, { host: named }) => {
    const { db } = context
    const { id, name, state, epoch } = await findHost(db, named)
    if (id === LOCAL)
      throw new Refusal(
        'invalid_state',
        `Host ${name} has the main checkout of this board, so it cannot be declared lost. Start aiswarm there again.`,
      )
    if (state === 'lost' || state === 'gone') throw new Refusal('invalid_state', `Host ${name} is ${state} already.`)
    must(await changeHost(db, id, { states: [state] }, { state: 'lost', epoch: epoch + 1 }), `Host ${name}`)
    // Its processes are refused from now on, because their term has ended.
    const lease = await selectLease(db, hostRole(id))
    if (lease) await releaseLease(db, hostRole(id), lease.holder)
    const ended: string[] = []
    for (const agent of await selectAgents(db, { live: true, processes: ['wanted', 'started'] })) {
      if (agent.host_id !== id) continue
      await endStopped(context, agent, LOST)
      ended.push(agent.id)
    }
    return { ...(await viewHosts(context, [await findHost(db, id)]))[0]!, ended }
  },
  subject: ({ name, epoch, ended }) => ({ details: { host: name, epoch, ended } }),
})
