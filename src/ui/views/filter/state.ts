import { completionsOf, parseFilter } from '../../../domain/task/filter-parser.ts'
import type { ConsoleState, Transition } from '../../core/state.ts'

/** The line in which a filter is typed. */
export interface FilterOverlay {
  readonly kind: 'filter'
  readonly text: string
  /** The text that tab completes, and the index of the shown completion. */
  readonly offer?: { readonly of: string; readonly at: number }
}

/** The list of filters that were saved under a name. */
export interface SavedOverlay {
  readonly kind: 'filters'
  readonly at: number
  /** The first visible row. */
  readonly top: number
}

/** Types the text and filters the board by it; if a term before the last is invalid, the board stays unchanged. */
export const typeFilter =
  (text: string, offer?: FilterOverlay['offer']): Transition =>
  (state) => {
    const { overlay } = state.view
    if (overlay?.kind !== 'filter') return state
    const { offer: _, ...rest } = overlay
    const filter = meaningOf(text) ?? state.view.filter
    return {
      ...state,
      view: {
        ...state.view,
        overlay: { ...rest, text, ...(offer ? { offer } : {}) },
        ...(filter === state.view.filter ? {} : { filter, around: 1, jump: { to: 'first' as const, by: 0 } }),
      },
    }
  }

/** The meaning of the text, without a last term that is still invalid. */
const meaningOf = (text: string): string | undefined =>
  [text, text.replace(/\S+$/, '')].find((part) => parseFilter(part).problem === null)?.trim()

/**
 * Tab: the first completion of the text, then the next, and finally the original text; a single completion is completed
 * further.
 */
export const completeFilter =
  (by: 1 | -1): Transition =>
  (state) => {
    const { overlay } = state.view
    if (overlay?.kind !== 'filter') return state
    const { of, at } = overlay.offer ?? { of: overlay.text, at: -1 }
    const offers = [...offersFor(state, of), of]
    if (offers.length === 1) return state
    const next = overlay.offer ? (at + by + offers.length) % offers.length : by === 1 ? 0 : offers.length - 2
    return typeFilter(offers[next]!, offers.length === 2 ? undefined : { of, at: next })(state)
  }

export const offersFor = ({ board, personas }: ConsoleState, text: string): readonly string[] =>
  completionsOf(text, {
    persona: personas,
    agent: board.agents.map((agent) => agent.id),
    worktree: board.worktrees.map((worktree) => worktree.name),
    session: board.session ? [board.session.id] : [],
  })
