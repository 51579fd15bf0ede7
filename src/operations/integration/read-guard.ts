import { z } from 'zod'
import { doAgentsRun } from '../agents/steps/running-agents.ts'
import { operation } from '../perform/operation.ts'
import { guardedOf } from '../hosts/steps/guarded.ts'
import { lazyObject } from '../perform/schemas.ts'

const guardView = lazyObject(() => ({
  hash: z.string(),
  entries: z.record(z.string(), z.string()),
  acceptedBy: z.string(),
  acceptedAt: z.string(),
  /** The differences now; null if there are none. */
  changed: z
    .object({
      hash: z.string(),
      entries: z.record(z.string(), z.string()),
      lines: z.array(z.string()),
      since: z.string(),
    })
    .nullable(),
  /** True if an agent may be changing it at this moment. */
  agentsRun: z.boolean(),
}))
export type GuardView = z.output<ReturnType<typeof guardView>>

export const readGuard = operation({
  name: 'read_guard',
  summary:
    'Read the trusted configuration, hooks and attributes of the repository and of aiswarm, and the differences from them',
  access: 'read',
  authority: 'anyone',
  /** A host other than the first has only git's configuration of its clone. */
  input: () => z.strictObject({ host: z.string().optional() }),
  output: () => guardView().nullable(),
  run: async (context, { host }) => {
    const row = await (await guardedOf(context.db, host)).select()
    if (!row) return null
    return {
      hash: row.hash,
      entries: JSON.parse(row.entries) as Record<string, string>,
      acceptedBy: row.accepted_by,
      acceptedAt: row.accepted_at,
      changed:
        row.changed_hash === null
          ? null
          : {
              hash: row.changed_hash,
              entries: JSON.parse(row.changed_entries!) as Record<string, string>,
              lines: JSON.parse(row.changes!) as string[],
              since: row.changed_at!,
            },
      agentsRun: await doAgentsRun(context),
    }
  },
})
