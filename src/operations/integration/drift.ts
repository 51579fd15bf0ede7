import { z } from 'zod'
import { selectTargets, selectWatchedCheckout, selectWatchedTargets } from '../../db/repository.ts'
import type { WatchedCheckoutRow, WatchedTargetRow } from '../../db/schema/worktrees.ts'
import type { CommitsBetween } from '../../domain/integration/external-changes.ts'
import { operation } from '../perform/operation.ts'
import { lazyObject } from '../perform/schemas.ts'

// Moves of target branches and changes in the main checkout that aiswarm did not make.

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

export const commitsBetween = lazyObject(() => ({
  added: z.int().min(0),
  dropped: z.int().min(0),
  newest: z.array(z.string()).max(20).readonly(),
}))

const targetMove = lazyObject(() => ({
  target: z.string(),
  /** Null if the branch did not exist. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  since: z.string(),
  commits: commitsBetween(),
  agents: z.array(z.string()),
  putBackAt: z.string().nullable(),
  problem: z.string().nullable(),
}))
export type TargetMoveView = z.output<ReturnType<typeof targetMove>>

/** Null if nothing of the target waits for a person. */
export const viewMove = (row: WatchedTargetRow): TargetMoveView | null =>
  row.moved_at === null
    ? null
    : {
        target: row.target,
        from: row.known_oid,
        to: row.moved_oid,
        since: row.moved_at,
        commits: JSON.parse(row.commits!) as CommitsBetween,
        agents: JSON.parse(row.agents!) as string[],
        putBackAt: row.put_back_at,
        problem: row.problem,
      }

export const fileChange = lazyObject(() => ({ path: z.string(), before: z.string(), after: z.string() }))

const checkoutChange = lazyObject(() => ({
  changes: z.array(fileChange()),
  agents: z.array(z.string()),
  since: z.string(),
}))
export type CheckoutChangeView = z.output<ReturnType<typeof checkoutChange>>

export const viewCheckout = (row: WatchedCheckoutRow | undefined): CheckoutChangeView | null =>
  row === undefined || row.changed_at === null
    ? null
    : {
        changes: JSON.parse(row.changes!) as CheckoutChangeView['changes'],
        agents: JSON.parse(row.agents!) as string[],
        since: row.changed_at,
      }
