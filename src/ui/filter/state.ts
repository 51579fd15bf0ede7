import { completionsOf } from '../../domain/task-filter-completion.ts'
import { parseFilter } from '../../domain/task-filter.ts'
import type { ConsoleState, Transition } from '../state.ts'
import type { Found } from './matches.ts'
import { filterText } from '../../text/filter.ts'

/** The line in which a filter is typed. */
export interface FilterOverlay {
  readonly kind: 'filter'
  readonly text: string
  /** What tab continues, and which of its offers stands there now. */
  readonly offer?: { readonly of: string; readonly at: number }
}

/** The list of filters that were saved under a name. */
export interface SavedOverlay {
  readonly kind: 'filters'
  readonly at: number
  /** The first row that is seen. */
  readonly top: number
}

/** The text, and the board by what it means; where a term before the last means nothing, the board stays as it is. */
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

/** What the text asks for, without a last term that means nothing yet. */
const meaningOf = (text: string): string | undefined => [text, text.replace(/\S+$/, '')].find((part) => parseFilter(part).problem === null)?.trim()

/** Tab: the first of what continues the text, then the next, and at last the text as it was; from the only one there is it goes on to what continues that. */
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

export const found =
  (now: Found | null): Transition =>
  (state) =>
    state.found === now || (state.found && now && state.found.count === now.count && state.found.complete === now.complete) ? state : { ...state, found: now }

/** `12 tasks`, or `12+` while the board is still being looked through. */
export const foundWords = (now: Found | null): string => (now === null ? '' : filterText.found(now.count, now.complete))
