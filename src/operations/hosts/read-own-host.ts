import { z } from 'zod'
import { hostStates } from '../../domain/host/host.ts'
import { operation } from '../perform/operation.ts'
import { knownHost } from './steps/known-host.ts'

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
