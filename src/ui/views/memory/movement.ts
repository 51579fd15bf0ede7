import { ours } from '../../../domain/words/safe-text.ts'
import { tabSpans } from './tabs.ts'
import { layoutOf, topFor } from '../../core/layout.ts'
import { type ConsoleState, changingView, type Overlay, type Transition } from '../../core/state.ts'
import { rowsOf } from './lists.ts'
import { listIn, type MemoryList, type MemoryOverlay, type MemoryTab, memoryTabs, type Place } from './state.ts'
import { memoryText } from '../../../text/memory.ts'

// Moves in the memory pane.

/** Rows of a list: the body without its border and the line of the tabs. */
export const memoryHeight = ({ view }: Pick<ConsoleState, 'view'>): number =>
  Math.max(1, layoutOf(view.size.columns, view.size.rows, view.pane).body - 3)

/** Moves the cursor of the shown list. */
export const moveInMemory = (state: ConsoleState, overlay: Overlay & MemoryOverlay, by: number): ConsoleState => {
  const list = listIn(overlay)
  const rows = rowsOf(state, list)
  const before = overlay.places[list]
  const wanted = Math.max(0, Math.min(Number.MAX_SAFE_INTEGER, before.at + by))
  // The place is kept for rows that are being read.
  const place = rows ? placeAt(state, list, before, wanted) : { ...before, key: null, at: wanted }
  return changingView(() => ({ overlay: { ...overlay, places: { ...overlay.places, [list]: place } } }))(state)
}

/** Selects the row on a line of the pane; the first line contains the tabs, one of which is opened. Nothing scrolls. */
export const selectInMemory = (
  state: ConsoleState,
  overlay: Overlay & MemoryOverlay,
  line: number,
  column: number,
): ConsoleState => {
  const list = listIn(overlay)
  if (line === 0) {
    const tab =
      list === 'found' ? -1 : tabSpans(tabsOf(list)).findIndex(({ from, to }) => column >= from && column < to)
    return tab === -1 ? state : showTab(memoryTabs[tab]!)(state)
  }
  const [total, place] = [rowsOf(state, list)?.total ?? 0, overlay.places[list]]
  const top = firstSeen(place, total, memoryHeight(state))
  const row = top + line - 1
  if (line > memoryHeight(state) || row >= total) return state
  return moveInMemory(state, { ...overlay, places: { ...overlay.places, [list]: { ...place, top } } }, row - place.at)
}

/** The first visible row of so many. */
export const firstSeen = ({ at, top }: Place, total: number, height: number): number =>
  topFor(top, Math.min(at, Math.max(0, total - 1)), height, total)

export const tabsOf = (list: MemoryList) =>
  memoryTabs.map((tab) => ({ name: ours(memoryText.tabs[tab]), shown: tab === list }))

/** The place of the nearest row. */
export const placeAt = (state: ConsoleState, list: MemoryList, before: Place, wanted: number): Place => {
  const rows = rowsOf(state, list)
  if (!rows) return before
  const at = Math.max(0, Math.min(rows.total - 1, wanted))
  const row = rows.total > 0 ? rows.row(at) : undefined
  return {
    key: row && rows.find(row.key) === at ? row.key : null,
    at,
    top: topFor(before.top, at, memoryHeight(state), rows.total),
  }
}

export const showTab = (tab: MemoryTab): Transition => inMemory((overlay) => ({ ...overlay, tab, words: '' }))

export const nextTab = (by: 1 | -1): Transition =>
  inMemory((overlay) => ({
    ...overlay,
    words: '',
    tab: memoryTabs[(memoryTabs.indexOf(overlay.tab) + by + memoryTabs.length) % memoryTabs.length]!,
  }))

function inMemory(change: (overlay: Overlay & MemoryOverlay) => Overlay & MemoryOverlay): Transition {
  return changingView(({ overlay }) => (overlay?.kind === 'memory' ? { overlay: change(overlay) } : {}))
}
