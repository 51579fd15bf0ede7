import { selectLease } from '../../db/leases.ts'
import { Refusal } from '../../domain/refusal.ts'
import type { Context } from './core.ts'

/** Name of the lease under which one process at a time runs the loops. */
export const SUPERVISOR = 'supervisor'

/** Work that lost its exclusive role to another process must not record anything any more. */
export const refuseRoleLost = async ({ db, actor }: Context): Promise<void> => {
  if (actor.kind !== 'system') return
  for (const { name, holder } of actor.roles ?? []) {
    if ((await selectLease(db, name))?.holder !== holder) throw roleLost(name)
  }
}

export const roleLost = (name: string): Refusal =>
  new Refusal(
    'role_lost',
    `Another process has taken over '${name.replace(':', ' ')}' while this one was stopped or slow; nothing of it was changed, and the other one finishes it.`,
  )

/** A loop whose lease has lapsed must not decide anything any more. */
export const refuseLapsed = async ({ db, actor, now }: Context): Promise<void> => {
  if (actor.kind !== 'system' || actor.holder === null) return
  const lease = await selectLease(db, SUPERVISOR)
  if (lease?.holder !== actor.holder || lease.expires_at <= now) {
    throw new Refusal('stale_supervisor', 'Another process supervises this repository now.')
  }
}
