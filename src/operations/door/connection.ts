import type { Outside } from '../../contracts/outside.ts'
import type { Actor } from '../../domain/agent/actor.ts'
import type { Core } from './core.ts'

/** A surface's connection: the core, its actor, and the outside. */
export interface Connection {
  readonly core: Core
  readonly actor: Actor
  readonly outside: Outside
}
