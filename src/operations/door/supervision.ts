import { selectLease, selectLiveLease } from '../../db/leases.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Context } from './core.ts'

/** The name of the lease for the process that runs the loops. */
export const SUPERVISOR = 'supervisor'

/** Work that has lost its exclusive lease to another process must not record anything. */
export const refuseRoleLost = async ({ db, actor }: Context): Promise<void> => {
  if (actor.kind !== 'system') return
  for (const { name, holder } of actor.roles ?? []) {
    if ((await selectLease(db, name))?.holder !== holder) throw roleLost(name)
  }
}

export const roleLost = (name: string): Refusal =>
  new Refusal(
    'role_lost',
    `Another process took over '${name.replace(':', ' ')}' while this one was stopped or slow. This one changed nothing; the other one finishes the work.`,
  )

/** A loop whose lease has expired must not decide anything. */
export const refuseLapsed = async ({ db, actor, tick }: Context): Promise<void> => {
  if (actor.kind !== 'system' || actor.holder === null) return
  if ((await selectLiveLease(db, SUPERVISOR, tick))?.holder !== actor.holder) {
    throw new Refusal('stale_supervisor', 'Another process supervises this repository now.')
  }
}
