import { z } from 'zod'
import { selectReviewable } from '../../db/integrations.ts'
import { selectFleet } from '../../db/hosts.ts'
import { selectWorktrees } from '../../db/worktrees.ts'
import { operation } from '../perform/operation.ts'

export const readCandidates = operation({
  name: 'read_candidates',
  summary: 'List the integrations whose merge may still be read or merged, and the snapshots that may still be used',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({}),
  output: () =>
    z.object({
      candidates: z.array(z.int()),
      /** The worktrees whose last snapshot is needed, if they have one: they are there, or their successor is being built. */
      snapshots: z.array(z.object({ host: z.string(), worktree: z.string() })),
    }),
  run: async ({ db }) => {
    const all = await selectWorktrees(db)
    const building = new Set(all.flatMap(({ folder, continues }) => (folder === 'building' ? [continues] : [])))
    const { snapshots } = await selectFleet(db)
    // A snapshot is recorded after it was pushed, much later by a host that is cut off in between.
    const needed = all.filter(({ name, folder, wip_oid: oid }) =>
      folder === 'gone' ? oid !== null && building.has(name) : oid !== null || snapshots,
    )
    return {
      candidates: [...(await selectReviewable(db))],
      snapshots: needed.map(({ name, host_id: host }) => ({ host, worktree: name })),
    }
  },
})
