import { modeText } from '../../../text/keys.ts'
import { spelledOut, ours } from '../../../domain/words/safe-text.ts'
import { by, type ListView, type TypedView } from '../../core/registry.ts'
import * as filterKeys from './filter.ts'
import {
  completeFilter,
  filterHint,
  type FilterOverlay,
  moveInSaved,
  type SavedOverlay,
  savedWindow,
  selectSaved,
  typeFilter,
} from './filter.ts'
import type { Found } from '../../panes/matches.ts'
import { move, sheetHeight } from '../../panes/movement.ts'
import { back } from '../../core/overlays.ts'
import { changingView } from '../../core/state.ts'

export interface FilterContents {
  /** The number of tasks that match the filter; null without one. */
  readonly found: Found | null
}

// prettier-ignore
export const filter: TypedView<FilterOverlay, FilterContents> = {
  kind: 'filter',
  title: modeText.filter,
  manner: 'typing',
  opens: [{ id: 'filter', keys: ['/'], shown: '/', footer: true, press: by(changingView(({ filter }) => ({ pane: 'board', about: 'board', overlay: { kind: 'filter', text: filter } }))) }],
  keys: [
    { id: 'keep-filter', keys: ['enter'], shown: 'enter', footer: true, press: filterKeys.keepFilter },
    { id: 'complete-filter', keys: ['tab'], shown: 'tab', footer: true, press: by(completeFilter(1)) },
    { id: 'complete-back', keys: ['shift-tab'], shown: 'shift-tab', press: by(completeFilter(-1)) },
    { id: 'saved-filters', keys: ['down'], shown: '↓', footer: true, blocked: filterKeys.whyNotSaved, press: filterKeys.openSaved },
    { id: 'save-filter', keys: ['ctrl-s'], shown: 'ctrl-s', footer: true, blocked: filterKeys.whyNotSave, press: filterKeys.saveFilter },
    { id: 'clear-filter', keys: ['escape'], shown: 'esc', footer: true, press: by(back) },
  ],
  without: ['back'],
  empty: { found: null },
  typed: (state, { text }) => ({ text: ours(spelledOut(text).join(' ')), ...filterHint(state) }),
  notice: (_, body) => (body < 10 ? 2 : 4),
  edit: (state, { text }, edit) => typeFilter(edit(text))(state).view,
  tries: true,
  // Esc removes the filter.
  back: (state) => changingView(({ task }) => ({ overlay: null, filter: '', around: task ?? 1, jump: null }))(state),
  click: null,
}

/** The filters that were saved under a name. */
// prettier-ignore
export const savedFilters: ListView<SavedOverlay> = {
  kind: 'filters',
  title: modeText.filters,
  manner: 'choosing',
  keys: [
    { id: 'take-filter', keys: ['enter'], shown: 'enter', footer: true, press: filterKeys.takeSaved },
    { id: 'next-filter', keys: ['j', 'down'], shown: 'j ↓', press: by(move(1)) },
    { id: 'previous-filter', keys: ['k', 'up'], shown: 'k ↑', press: by(move(-1)) },
    { id: 'forget-filter', keys: ['d'], shown: 'd', footer: true, press: filterKeys.forgetSaved },
  ],
  empty: {},
  window: savedWindow,
  tall: ({ kept }) => kept.filters.length,
  scroll: (state, overlay, lines) => moveInSaved(state, overlay, lines, sheetHeight(state)),
  click: (state, overlay, line) => selectSaved(state, overlay, line, sheetHeight(state)),
}
