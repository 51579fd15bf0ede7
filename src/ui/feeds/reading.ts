import type { Refusal } from '../../domain/rules/refusal.ts'
import type { Connection } from '../../operations/perform/core.ts'
import type { ConsoleState, Transition } from '../core/state.ts'

/** The source of the data for the store, the state, and the way to change it. */
export interface Reading {
  readonly connection: Connection
  readonly state: () => ConsoleState
  readonly change: (transition: Transition) => void
  readonly careful: Careful
}

/** Makes work whose error is said in a notice, until it succeeds again; `refused` is called for each refusal. */
export type Careful = (work: () => Promise<void>, refused?: (refusal: Refusal) => void) => () => Promise<void>
