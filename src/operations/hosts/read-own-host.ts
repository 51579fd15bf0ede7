import { z } from 'zod'
import { selectFleet, selectHost } from '../../db/hosts.ts'
import { hostStates } from '../../domain/host/host.ts'
import { operation } from '../door/operation.ts'

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
  run: async ({ db }, { hostId }) => {
    const host = await selectHost(db, hostId)
    if (host === undefined) return null
    // The generation of the board: a host that has not followed it yet is not refused.
    const { generation } = await selectFleet(db)
    return { name: host.name, state: host.state, generation, seq: host.beat_seq, joinedAt: host.joined_at }
  },
})
