import { deadlineOf } from '../../db/deadlines.ts'
import { selectLease } from '../../db/leases.ts'
import type { Term } from '../../domain/agent/actor.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Context } from './core.ts'

/** The name of the lease for the process that runs the loops. */
export const SUPERVISOR = 'supervisor'

/**
 * Work that has lost its exclusive lease to another process must not record anything, and no more must a loop that
 * another process has succeeded. Asked before every write; a lease that has expired counts while no other process has
 * taken it, so that what was done can be recorded.
 */
export const refuseRoleLost = async ({ db, actor }: Context): Promise<void> => {
  if (actor.kind !== 'system') return
  const holds = async (name: string, { holder, term }: Term): Promise<boolean> => {
    const lease = await selectLease(db, name)
    return lease?.holder === holder && lease.term === term
  }
  if (actor.supervision !== null && !(await holds(SUPERVISOR, actor.supervision))) throw superseded()
  for (const role of actor.roles ?? []) if (!(await holds(role.name, role))) throw roleLost(role.name)
}

export const roleLost = (name: string): Refusal =>
  new Refusal(
    'role_lost',
    `Another process took over '${name.replace(':', ' ')}' while this one was stopped or slow. This one changed nothing; the other one finishes the work.`,
  )

/** A loop whose lease has expired must not decide anything, even if no other process has taken it. */
export const refuseLapsed = async ({ db, actor, tick }: Context): Promise<void> => {
  if (actor.kind !== 'system' || actor.supervision === null) return
  if ((await deadlineOf(db, 'role', SUPERVISOR, tick)) === 'over') throw superseded()
}

const superseded = (): Refusal => new Refusal('stale_supervisor', 'Another process supervises this repository now.')
