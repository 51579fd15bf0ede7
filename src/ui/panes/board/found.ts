import type { Transition } from '../../core/state.ts'
import type { Found } from './matches.ts'
import { filterText } from '../../../text/tasks.ts'

/** How many tasks meet the filter. */
export const found =
  (now: Found | null): Transition =>
  (state) =>
    state.found === now ||
    (state.found && now && state.found.count === now.count && state.found.complete === now.complete)
      ? state
      : { ...state, found: now }

/** `12 tasks`, or `12+` while the board is still being looked through. */
export const foundWords = (now: Found | null): string => (now === null ? '' : filterText.found(now.count, now.complete))
