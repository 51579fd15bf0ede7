import type { SheetProps } from '../../../../components/Sheet.tsx'
import { completionsOf, parseFilter } from '../../../domain/task/filter-parser.ts'
import { ours, safeText } from '../../../domain/words/safe-text.ts'
import { commonText } from '../../../text/common.ts'
import { typingHints } from '../../../text/panes.ts'
import { filterText } from '../../../text/tasks.ts'
import { withFilter, withoutFilter } from '../../core/console-memory.ts'
import type { Controller } from '../../core/controller.ts'
import type { Form } from '../../core/form.ts'
import { topFor } from '../../core/layout.ts'
import { close, closeAll, open } from '../../core/overlays.ts'
import type { TypedLine } from '../../core/registry.ts'
import { changingView, type ConsoleState, type Overlay, type Transition } from '../../core/state.ts'
import { keyed, shownKey } from '../../keys/bindings.ts'
import { refusedHint } from '../../keys/typing.ts'
import { foundWords } from '../../panes/matches.ts'

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

const offersFor = ({ board, personas }: ConsoleState, text: string): readonly string[] =>
  completionsOf(text, {
    persona: personas,
    agent: board.agents.map((agent) => agent.id),
    worktree: board.worktrees.map((worktree) => worktree.name),
    session: board.session ? [board.session.id] : [],
  })

/**
 * The text after a typed filter: its refusal or error, otherwise the number of matching tasks and the effect of tab.
 */
export const filterHint = (state: ConsoleState): Pick<TypedLine, 'hint' | 'wrong'> => {
  const { overlay, notice } = state.view
  if (overlay?.kind !== 'filter') return { hint: ours(''), wrong: false }
  const refused = refusedHint(notice)
  if (refused) return refused
  const { problem } = parseFilter(overlay.text)
  if (problem !== null) return { hint: safeText(problem), wrong: true }
  const offers =
    overlay.offer || overlay.text === ''
      ? []
      : offersFor(state, overlay.text).map((offer) => safeText(offer.slice(offer.lastIndexOf(' ') + 1)))
  const continues =
    offers.length === 0
      ? ''
      : filterText.continues(shownKey(state, 'complete-filter'), offers.slice(0, 3), offers.length > 3)
  return {
    hint: ours(
      `${overlay.text.trim() === '' ? '' : `${foundWords(state.found)}   `}${keyed(state, typingHints.filter)}${continues}`,
    ),
    wrong: false,
  }
}

// Key handlers of the filter.

/** Enter: an invalid filter is not applied. */
export const keepFilter = (controller: Controller): void => {
  const { overlay } = controller.state().view
  if (overlay?.kind !== 'filter') return
  const { problem } = parseFilter(overlay.text)
  // The line already shows the error.
  if (problem === null) controller.change(close)
}

export const whyNotSave = (state: ConsoleState): string | undefined => {
  const { overlay } = state.view
  if (overlay?.kind !== 'filter') return undefined
  return overlay.text.trim() === '' ? commonText.nothingToSave : (parseFilter(overlay.text).problem ?? undefined)
}

/** Asks for the name under which the filter is saved. */
export const saveFilter = (controller: Controller): void => {
  const { overlay } = controller.state().view
  if (overlay?.kind !== 'filter') return
  const form: Form = {
    kind: 'filter',
    title: filterText.save(overlay.text.trim()),
    at: 0,
    fields: [{ key: 'name', label: filterText.name, value: '', hint: filterText.nameHint }],
    submit: (by, { name = '' }) => saveUnder(by, name),
  }
  controller.change(open({ kind: 'form', form }))
}

const saveUnder = (controller: Controller, name: string): void => {
  if (name === '') return controller.tell(filterText.needsName, 'refused')
  const behind = controller.state().view.overlay?.behind
  if (behind?.kind !== 'filter') return controller.change(closeAll)
  controller.keep(withFilter({ name, filter: behind.text.trim() }))
  controller.change(closeAll)
  controller.tell(filterText.isSaved(name), 'done')
}

export const whyNotSaved = (state: ConsoleState): string | undefined =>
  state.kept.filters.length === 0 ? filterText.noneSaved : undefined

export const openSaved = (controller: Controller): void => controller.change(open({ kind: 'filters', at: 0, top: 0 }))

/** Enter in the list: its filter replaces the typed text. */
export const takeSaved = (controller: Controller): void => {
  const chosen = chosenIn(controller.state())
  controller.change(close)
  if (chosen) controller.change(typeFilter(chosen.filter))
  keepFilter(controller)
}

export const forgetSaved = (controller: Controller): void => {
  const chosen = chosenIn(controller.state())
  if (!chosen) return
  controller.keep(withoutFilter(chosen.name))
  controller.change(
    changingView(({ overlay }, { kept }) =>
      overlay?.kind === 'filters' && kept.filters.length === 0 ? { overlay: overlay.behind ?? null } : {},
    ),
  )
  controller.tell(filterText.isForgotten(chosen.name, chosen.filter), 'done')
}

const chosenIn = ({ view, kept }: ConsoleState) =>
  view.overlay?.kind === 'filters' ? kept.filters[Math.min(view.overlay.at, kept.filters.length - 1)] : undefined

// Moves the cursor in the list of saved filters. `height` is the number of visible rows.

type Saved = Overlay & SavedOverlay

/** The visible rows, with the cursor marked. */
export const savedWindow = (
  state: ConsoleState,
  overlay: Saved,
  height: number,
): Omit<SheetProps, 'width' | 'height'> => {
  const { filters } = state.kept
  const top = topOf(state, overlay, height)
  const lines = filters.slice(top, top + height).map(({ name, filter }, index) => {
    const cursor = top + index === cursorOf(state, overlay)
    return { text: ours(`${cursor ? '▸' : ' '} ${safeText(name)}  ${safeText(filter)}`), bold: cursor }
  })
  return { title: ours(filterText.savedTitle), lines, top, total: filters.length }
}

export const moveInSaved = (state: ConsoleState, overlay: Saved, by: number, height: number): ConsoleState => {
  const count = state.kept.filters.length
  const at = Math.max(0, Math.min(count - 1, cursorOf(state, overlay) + by))
  return changingView(() => ({ overlay: { ...overlay, at, top: topFor(overlay.top, at, height, count) } }))(state)
}

/** Selects the filter on a line of the list; nothing scrolls. */
export const selectSaved = (state: ConsoleState, overlay: Saved, line: number, height: number): ConsoleState => {
  const top = topOf(state, overlay, height)
  return line < height && top + line < state.kept.filters.length
    ? changingView(() => ({ overlay: { ...overlay, at: top + line, top } }))(state)
    : state
}

const topOf = (state: ConsoleState, overlay: Saved, height: number): number =>
  topFor(overlay.top, cursorOf(state, overlay), height, state.kept.filters.length)

/** The last filter may have been deleted. */
const cursorOf = ({ kept }: ConsoleState, { at }: Saved): number => Math.max(0, Math.min(at, kept.filters.length - 1))
