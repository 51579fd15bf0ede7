import { z } from 'zod'
import { changeHost, selectFleet, selectHost } from '../../db/hosts.ts'
import type { KnownHost } from '../../domain/host/heartbeat.ts'
import { hostStates, LOCAL } from '../../domain/host/host.ts'
import type { Context } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'

// The host that this checkout is.

export const readOwnHost = operation({
  name: 'read_own_host',
  summary: 'Read what the board knows of the host that this checkout remembers to be',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ hostId: z.string() }),
  /** Null if there is none with this id. */
  output: () =>
    z
      .object({
        ...{ name: z.string(), state: z.enum(hostStates) },
        ...{ generation: z.int(), seq: z.int(), joinedAt: z.string().nullable() },
      })
      .nullable(),
  run: (context, { hostId }) => knownHost(context, hostId),
})

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

/** A host as the clone that is it sees it; null if the board knows none with this id. */
export const knownHost = async ({ db }: Pick<Context, 'db'>, hostId: string): Promise<KnownHost | null> => {
  const host = await selectHost(db, hostId)
  if (host === undefined) return null
  // The generation of the board: a host that has not followed it yet is not refused.
  const { generation } = await selectFleet(db)
  return { name: host.name, state: host.state, generation, seq: host.beat_seq, joinedAt: host.joined_at }
}
