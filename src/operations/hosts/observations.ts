import { z } from 'zod'
import { saveSight, selectHosts, selectSights } from '../../db/hosts.ts'
import { selectLease } from '../../db/leases.ts'
import { later } from '../../domain/words/time.ts'
import { hostOf } from '../perform/core.ts'
import { operation } from '../perform/operation.ts'

/** The role of a console that shows other hosts; without one, hosts seldom record what they see. */
export const WATCHING = 'watching'

const subject = z.enum(['processes', 'worktrees'])

/** An older sight is not shown (ms). A host records one at least once a minute. */
const FRESH = 90_000

export const recordSight = operation({
  name: 'record_sight',
  summary: 'Record the processes or the worktrees of this host as they are now, for consoles elsewhere',
  access: 'beat',
  quiet: true,
  authority: 'system',
  input: () =>
    z.strictObject({
      subject,
      content: z
        .string()
        .max(1024 * 1024)
        .describe('JSON'),
    }),
  output: () => z.null(),
  run: async (context, { subject, content }) => {
    const host = hostOf(context)
    if (host !== null) await saveSight(context.db, { host_id: host, subject, content, seen_at: context.now })
    return null
  },
})

export const readSights = operation({
  name: 'read_sights',
  summary: 'Read the processes or the worktrees of the other hosts as each has recorded them last',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({ subject }),
  output: () => z.array(z.object({ hostId: z.string(), content: z.string() })),
  run: async (context, { subject }) => {
    const { db, now } = context
    const rows = await selectSights(db, { subject, besides: hostOf(context) ?? '', since: later(now, -FRESH) })
    return rows.map(({ host_id, content }) => ({ hostId: host_id, content }))
  },
})

export const readWatching = operation({
  name: 'read_watching',
  summary: 'Say whether the board has several hosts, and a console somewhere shows them now',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({}),
  output: () => z.object({ several: z.boolean(), watching: z.boolean() }),
  run: async ({ db, now }) => {
    const lease = await selectLease(db, WATCHING)
    return { several: (await selectHosts(db)).length > 1, watching: lease !== undefined && lease.expires_at > now }
  },
})
