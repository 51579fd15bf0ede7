import { selectLease } from '../../db/leases.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Context } from './core.ts'

/** Name of the lease under which one process at a time runs the loops. */
export const SUPERVISOR = 'supervisor'

/** A loop whose lease has lapsed must not decide anything any more. */
export const refuseLapsed = async ({ db, actor, now }: Context): Promise<void> => {
  if (actor.kind !== 'system' || actor.holder === null) return
  const lease = await selectLease(db, SUPERVISOR)
  if (lease?.holder !== actor.holder || lease.expires_at <= now) {
    throw new Refusal('stale_supervisor', 'Another process supervises this repository now.')
  }
}
