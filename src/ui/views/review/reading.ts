import { reviewRefusals } from '../../../text/integration.ts'
import type { ConsoleState, Transition } from '../../core/state.ts'
import { BESIDE } from './file/row-style.ts'
import type { ReadingStyle } from './state.ts'
import { styleOf } from './window.ts'

// How a person reads diffs: in this console, until they change it.

export const whyNotSplit = ({ view }: ConsoleState): string | undefined =>
  view.size.columns >= BESIDE ? undefined : reviewRefusals.tooNarrow(BESIDE)

export const toggleSplit: Transition = (state) => ({
  ...state,
  reading: { ...state.reading, isSplit: !styleOf(state).isSplit },
})

export const toggle =
  (what: keyof Pick<ReadingStyle, 'wraps' | 'ignoresBlanks'>): Transition =>
  (state) => ({ ...state, reading: { ...state.reading, [what]: !state.reading[what] } })
