import { z } from 'zod'
import { selectAgentsOfHost } from '../../db/agents.ts'
import { changeHost } from '../../db/hosts.ts'
import { operation } from '../door/operation.ts'
import { findHost } from './steps/find-host.ts'

export const readLostRuns = operation({
  name: 'read_lost_runs',
  summary: 'List the runs whose processes may still be on a host that was declared lost',
  access: 'read',
  authority: 'system',
  input: z.strictObject({ hostId: z.string() }),
  output: z.array(
    z.object({
      agentId: z.string(),
      run: z.int(),
      /** Null if the process was not recorded. */
      identity: z.object({ pid: z.int(), startedAt: z.string(), bootId: z.string() }).nullable(),
    }),
  ),
  run: async ({ db }, { hostId }) =>
    (await selectAgentsOfHost(db, hostId)).map(({ id, run, process_id, process_started_at, boot_id }) => ({
      agentId: id,
      run,
      identity: process_id === null ? null : { pid: process_id, startedAt: process_started_at!, bootId: boot_id! },
    })),
})

export const returnHost = operation({
  name: 'return_host',
  summary: 'Record that a lost host is back, and that nothing of what was ended meanwhile runs there',
  access: 'write',
  authority: 'system',
  input: z.strictObject({ hostId: z.string() }),
  output: z.object({ name: z.string(), returned: z.boolean() }),
  run: async ({ db }, { hostId }) => ({
    returned: await changeHost(db, hostId, { states: ['lost'] }, { state: 'up' }),
    name: (await findHost(db, hostId)).name,
  }),
  subject: ({ name, returned }) => (returned ? { details: { host: name } } : null),
})
