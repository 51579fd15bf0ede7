import type { Refusal } from '../../domain/rules/refusal.ts'
import { asRefusal } from '../../domain/rules/system-error.ts'
import { safeText } from '../../domain/words/safe-text.ts'
import type { Connection } from '../../operations/perform/core.ts'
import { sentenceOf } from '../core/controller.ts'
import { noticed, unsaying } from '../core/reducers.ts'
import type { ConsoleState, Transition } from '../core/state.ts'

/** The source of the data for the store, the state, and the way to change it. */
export interface Reading {
  readonly connection: Connection
  readonly state: () => ConsoleState
  readonly change: (transition: Transition) => void
  readonly careful: Careful
}

/**
 * Makes work whose error is said in a notice, until it succeeds again; `refused` is called for each refusal. It results
 * in false if it has failed: who remembers what was read does so after it, so that it is read again.
 */
type Careful = (work: () => Promise<void>, refused?: (refusal: Refusal) => void) => () => Promise<boolean>

export const makeCareful =
  (change: (transition: Transition) => void): Careful =>
  (work, refused) => {
    let said = ''
    return async (): Promise<boolean> => {
      try {
        await work()
        // The server answers again.
        if (said !== '') change(unsaying(safeText(said)))
        said = ''
        return true
      } catch (error) {
        const refusal = asRefusal(error)
        said = sentenceOf(error)
        change(noticed(said, refusal ? 'refused' : 'bug'))
        if (refusal) refused?.(refusal)
        return false
      }
    }
  }
