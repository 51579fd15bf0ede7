import { z } from 'zod'
import { selectAgents } from '../../db/agents.ts'
import { changeHost, revokeJoins, saveFleet, selectFleet, selectHosts } from '../../db/hosts.ts'
import { beginLaterTerms } from '../../db/leases.ts'
import { RESTORED } from '../../domain/host/host.ts'
import { milliseconds } from '../../domain/words/time.ts'
import { endStopped } from '../agents/steps/stop-agents.ts'
import { must } from '../door/must.ts'
import { operation } from '../door/operation.ts'

export const declareRestored = operation({
  name: 'declare_restored',
  summary:
    'Say that the board was restored to an earlier time: agents end, and each host keeps what it has and comes back',
  access: 'write',
  authority: 'person',
  grave: true,
  input: () => z.strictObject({}),
  output: () =>
    z.object({
      generation: z.int(),
      /** The hosts that come back one by one. */
      hosts: z.array(z.string()),
      ended: z.array(z.string()),
    }),
  run: async (context) => {
    const { db, now } = context
    // The board may have forgotten generations too, so the number comes from the clock.
    const generation = Math.max((await selectFleet(db)).generation + 1, Math.floor(milliseconds(now) / 1000))
    await saveFleet(db, { generation })
    await revokeJoins(db, now)
    await beginLaterTerms(db)
    const hosts = await selectHosts(db)
    for (const { id, name, state, epoch } of hosts)
      must(await changeHost(db, id, { states: [state] }, { epoch: epoch + 1 }), `Host ${name}`)
    const ended: string[] = []
    // Agents without a process end too: their tokens may be known to attempts that the board has forgotten.
    for (const agent of await selectAgents(db, { live: true })) {
      if (agent.id === 'human') continue
      await endStopped(context, agent, RESTORED)
      ended.push(agent.id)
    }
    return { generation, hosts: hosts.map(({ name }) => name), ended }
  },
  subject: ({ generation, hosts, ended }) => ({ details: { generation, hosts, ended } }),
})
