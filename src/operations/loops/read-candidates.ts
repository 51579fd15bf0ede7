import { z } from 'zod'
import { selectReviewable } from '../../db/integrations.ts'
import { selectWorktrees } from '../../db/worktrees.ts'
import { operation } from '../door/operation.ts'

export const readCandidates = operation({
  name: 'read_candidates',
  summary: 'List the integrations whose merge may still be read or merged, and the snapshots that may still be used',
  access: 'read',
  authority: 'system',
  input: () => z.strictObject({}),
  output: () =>
    z.object({
      candidates: z.array(z.int()),
      /** The worktrees whose last snapshot is needed: they are there, or the one that continues them is being built. */
      snapshots: z.array(z.object({ host: z.string(), worktree: z.string() })),
    }),
  run: async ({ db }) => {
    const all = await selectWorktrees(db)
    const building = new Set(all.flatMap(({ folder, continues }) => (folder === 'building' ? [continues] : [])))
    const needed = all.filter(
      ({ name, folder, wip_oid: oid }) => oid !== null && (folder !== 'gone' || building.has(name)),
    )
    return {
      candidates: [...(await selectReviewable(db))],
      snapshots: needed.map(({ name, host_id: host }) => ({ host, worktree: name })),
    }
  },
})
