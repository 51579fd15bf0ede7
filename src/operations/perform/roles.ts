import { deadlineOf, selectLease } from '../../db/leases.ts'
import type { LoopTerm, Term } from '../../domain/agent/actor.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { Context } from './core.ts'

// Exclusive roles of processes, and the refusal of work by a process that has lost its role.

/** The name of the lease for the process that runs the loops, or, where a board has several hosts, that plans for all. */
export const SUPERVISOR = 'supervisor'

/** The name of the lease for the process that runs the loops of a host. */
export const hostRole = (host: string): string => `host:${host}`

const roleOf = ({ host }: LoopTerm): string => (host === undefined ? SUPERVISOR : hostRole(host))

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
  const { supervision } = actor
  if (supervision !== null && !(await holds(roleOf(supervision), supervision))) throw superseded(supervision)
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
  if ((await deadlineOf(db, 'role', roleOf(actor.supervision), tick)) === 'over') throw superseded(actor.supervision)
}

/** The loops of a host do not plan for the board. */
export const refuseUnlessLeading = async (context: Context): Promise<void> => {
  const { actor } = context
  if (actor.kind === 'system' && actor.supervision?.host !== undefined)
    throw new Refusal('stale_supervisor', `The loops of host ${actor.supervision.host} do not plan for the board.`)
  await refuseLapsed(context)
}

const superseded = ({ host }: LoopTerm): Refusal =>
  host === undefined
    ? new Refusal('stale_supervisor', 'Another process supervises this repository now.')
    : new Refusal('stale_host', `Another process runs the agents of host ${host} now, or the host was declared lost.`)
