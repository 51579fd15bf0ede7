import { Refusal } from '../rules/refusal.ts'

/** The rights of a persona (seed 004, planner authority model). */
export type Role = 'planner' | 'worker' | 'person'

/**
 * The caller. Identity comes from the connection, never from an argument: a person at the console or the command line,
 * an agent whose token was checked, a client that represents a person without being one (an IDE over MCP), or the
 * program itself when a loop reports.
 */
export type Actor =
  | { readonly kind: 'person'; readonly id: 'human' }
  /** `tokenHash` is checked with every call: a token ends in the transaction that ends its attempt. */
  | {
      readonly kind: 'agent'
      readonly id: string
      readonly role: Role
      readonly worktree: string | null
      readonly tokenHash?: string
    }
  /**
   * `above` names the starter of its process if that is not a person: `agent backend-1`, `the verification of auth`.
   */
  | { readonly kind: 'client'; readonly id: 'human'; readonly role: 'person' | 'planner'; readonly above?: string }
  | {
      readonly kind: 'system'
      readonly id: 'aiswarm'
      /** The term as supervisor, or as a host, in which a loop acts; null outside of the loops. */
      readonly supervision: LoopTerm | null
      readonly roles?: readonly HeldRole[]
    }

/**
 * An exclusive lease that a piece of work holds. The work writes nothing more once another process has taken the lease.
 */
export interface HeldRole extends Term {
  readonly name: string
}

/** Names one holding of a lease: a later one has another number, even of the same process. */
export interface Term {
  readonly holder: string
  readonly term: number
}

/** The term in which loops act: those of a host, or without one those that plan for the whole board. */
export interface LoopTerm extends Term {
  readonly host?: string
}

export const person: Actor = { kind: 'person', id: 'human' }

/** A client without its own identity: it reads and creates tasks, and plans if a person started it for that. */
export const client = (role: 'person' | 'planner'): Actor => ({ kind: 'client', id: 'human', role })

/** A process below an agent (or below a branch's code) that has no token: it has a client's rights and never plans. */
export const below = (above: string): Actor => ({ kind: 'client', id: 'human', role: 'person', above })

/** The actor's name for messages. */
export const nameOf = (actor: Actor): string => {
  if (actor.kind !== 'client') return actor.id
  return actor.above === undefined
    ? 'A client without an identity'
    : `${actor.above[0]!.toUpperCase()}${actor.above.slice(1)}`
}

/** True for a person, and for the program, which carries out a person's settings; their input needs no confirmation. */
export const isTrusted = (actor: Actor): boolean => actor.kind === 'person' || actor.kind === 'system'

/** The program itself. Loops under the supervisor lease name their term. */
export const system = (supervision: LoopTerm | null = null): Actor => ({ kind: 'system', id: 'aiswarm', supervision })

/** The callers that may perform an operation at all. */
export type Authority = 'anyone' | 'person' | 'planner' | 'agent' | 'system'

const allowed: Record<Authority, (actor: Actor) => boolean> = {
  anyone: () => true,
  person: isTrusted,
  planner: (actor) => isTrusted(actor) || ('role' in actor && actor.role === 'planner'),
  agent: (actor) => actor.kind !== 'client',
  system: (actor) => actor.kind === 'system',
}

const needed: Record<Authority, string> = {
  anyone: '',
  person: 'only a person may do it',
  planner: 'only a planner or a person may do it',
  agent: 'only an agent or a person may do it',
  system: 'only aiswarm itself may do it',
}

export const checkAuthority = (operation: string, authority: Authority, actor: Actor): void => {
  if (allowed[authority](actor)) return
  throw new Refusal('not_allowed', `${nameOf(actor)} may not ${operation.replaceAll('_', ' ')}; ${needed[authority]}.`)
}

/** An agent acts as itself; a person and the program may act for any agent they name. */
export const checkActsAs = (actor: Actor, agentId: string): void => {
  if (!isTrusted(actor) && actor.id !== agentId) {
    throw new Refusal(
      'not_allowed',
      `This connection belongs to ${actor.kind === 'agent' ? `agent ${actor.id}` : ((actor.kind === 'client' ? actor.above : undefined) ?? 'a client without an identity')} and cannot act as ${agentId}.`,
    )
  }
}
