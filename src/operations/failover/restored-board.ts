import { z } from 'zod'
import { selectAgents } from '../../db/agents.ts'
import { changeHost, revokeJoins, saveFleet, selectFleet, selectHosts } from '../../db/hosts.ts'
import { beginLaterTerms } from '../../db/leases.ts'
import { whyNotRestored } from '../../domain/host/heartbeat.ts'
import { RESTORED } from '../../domain/host/host.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import { milliseconds } from '../../domain/words/time.ts'
import { knownHost } from '../hosts/own-host.ts'
import { must } from '../perform/find.ts'
import { operation } from '../perform/operation.ts'
import { endStopped } from '../runs/agents.ts'

const beat = () => z.strictObject({ generation: z.int(), seq: z.int(), joinedAt: z.string().nullable() })

export const declareRestored = operation({
  name: 'declare_restored',
  summary:
    'Say that the board was restored to an earlier time: agents end, and each host keeps what it has and comes back',
  access: 'write',
  authority: 'person',
  grave: true,
  input: () =>
    z.strictObject({
      /** The host that the person's clone remembers to be; null if it is none. */
      clone: z.strictObject({ hostId: z.string(), seen: beat().nullable() }).nullable().default(null),
      /** True to end the agents although nothing looks restored from that clone. */
      anyway: z.boolean().default(false),
    }),
  output: () =>
    z.object({
      generation: z.int(),
      /** The hosts that come back one by one. */
      hosts: z.array(z.string()),
      ended: z.array(z.string()),
    }),
  run: async (context, { clone, anyway }) => {
    const { db, now } = context
    const host = clone === null ? null : await knownHost(context, clone.hostId)
    const why = anyway ? undefined : whyNotRestored(clone, host)
    if (why !== undefined) throw new Refusal('invalid_state', why)
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
