import { Refusal } from './refusal.ts'

/** What a persona may do (seed 004, planner authority model). */
export type Role = 'planner' | 'worker' | 'person'

/**
 * Who asks. Identity comes from the connection, never from an argument:
 * a person at the console or the command line, an agent whose token was checked,
 * or the program itself reporting what a loop did.
 */
export type Actor =
  | { readonly kind: 'person'; readonly id: 'human' }
  | { readonly kind: 'agent'; readonly id: string; readonly role: Role; readonly worktree: string | null }
  | { readonly kind: 'system'; readonly id: 'aiswarm'; readonly holder: string | null }

export const person: Actor = { kind: 'person', id: 'human' }

/** The program itself. `holder` is set by loops that run under the supervisor lease. */
export const system = (holder: string | null = null): Actor => ({ kind: 'system', id: 'aiswarm', holder })

/** Who may perform an operation at all. */
export type Authority = 'anyone' | 'person' | 'planner' | 'agent' | 'system'

const allowed: Record<Authority, (actor: Actor) => boolean> = {
  anyone: () => true,
  person: (actor) => actor.kind !== 'agent',
  planner: (actor) => actor.kind !== 'agent' || actor.role === 'planner',
  agent: () => true,
  system: (actor) => actor.kind === 'system',
}

const needed: Record<Authority, string> = {
  anyone: '',
  person: 'only a person may do it',
  planner: 'only a planner or a person may do it',
  agent: '',
  system: 'only aiswarm itself does it',
}

export const checkAuthority = (operation: string, authority: Authority, actor: Actor): void => {
  if (!allowed[authority](actor)) throw new Refusal('not_allowed', `${actor.id} may not ${operation.replaceAll('_', ' ')}; ${needed[authority]}.`)
}

/** An agent acts as itself; a person and the program may act for any agent they name. */
export const checkActsAs = (actor: Actor, agentId: string): void => {
  if (actor.kind === 'agent' && actor.id !== agentId) {
    throw new Refusal('not_allowed', `This connection belongs to agent ${actor.id} and cannot act as ${agentId}.`)
  }
}
