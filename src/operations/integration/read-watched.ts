import { z } from 'zod'
import { selectTargets, selectWatchedCheckout, selectWatchedTargets } from '../../db/repository.ts'
import { operation } from '../perform/operation.ts'
import { checkoutChange, targetMove, viewCheckout, viewMove } from './watched.ts'

export const readWatched = operation({
  name: 'read_watched',
  summary: 'Read the last known position of each target branch, and the moves and changes that aiswarm did not make',
  access: 'read',
  authority: 'anyone',
  input: () => z.strictObject({}),
  output: () =>
    z.object({
      /** Every target; `seen` is undefined if it was never checked, and null if the branch was missing. */
      targets: z.array(
        z.object({ target: z.string(), known: z.string().nullable(), seen: z.string().nullable().optional() }),
      ),
      moves: z.array(targetMove()),
      checkout: checkoutChange().nullable(),
    }),
  run: async ({ db, settings }) => {
    const rows = new Map((await selectWatchedTargets(db)).map((row) => [row.target, row]))
    const names = [...new Set([settings.integration.target, ...(await selectTargets(db)), ...rows.keys()])]
    return {
      targets: names.map((target) => {
        const row = rows.get(target)
        return row === undefined ? { target, known: null } : { target, known: row.known_oid, seen: row.seen_oid }
      }),
      moves: [...rows.values()].flatMap((row) => viewMove(row) ?? []),
      checkout: viewCheckout(await selectWatchedCheckout(db)),
    }
  },
})
