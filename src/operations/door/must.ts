import { Refusal } from '../../domain/rules/refusal.ts'

/**
 * Refuses if a compare-and-set changed nothing: another process has changed the row since this one read it. The
 * operation must not report what it did not do. `what` begins the sentence: `Task 3`.
 */
export const must = (changed: boolean, what: string): void => {
  if (!changed) throw new Refusal('invalid_state', `${what} has just changed. Check it, then try again.`)
}
