import { z } from 'zod'
import type { WatchedCheckoutRow, WatchedTargetRow } from '../../db/schema/worktrees.ts'
import type { CommitsBetween } from '../../domain/integration/external-changes.ts'
import { lazyObject } from '../perform/schemas.ts'

export const commitsBetween = lazyObject(() => ({
  added: z.int().min(0),
  dropped: z.int().min(0),
  newest: z.array(z.string()).max(20).readonly(),
}))

export const targetMove = lazyObject(() => ({
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

export const checkoutChange = lazyObject(() => ({
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
