import type { ConversationPage, Turn } from '../../../operations/memory/trail.ts'
import type { FileMemories } from '../../../contracts/memories.ts'
import { keep } from '../../core/structural-sharing.ts'
import type { ConsoleState, Overlay, Transition } from '../../core/state.ts'
import { rowsOf } from './lists.ts'
import { placeAt } from './movement.ts'
import { type Found, type MemoryList, type MemoryOverlay, nothingRead, type Place } from './state.ts'

// Transitions for data of the memory pane. Each list keeps the selected row, wherever it is now.

export const filesArrived =
  (files: FileMemories): Transition =>
  (state) =>
    files === state.memory.files
      ? state
      : keepingPlaces({ ...state, memory: { ...state.memory, files } }, ['working', 'decisions', 'timeline'])

/** `around` is the requested row: if the cursor has moved meanwhile, its place is ignored. */
export const pageArrived =
  (next: ConversationPage, around: string | null): Transition =>
  (state) => {
    const page = keep(state.memory.page, next)
    if (page === state.memory.page) return state
    return inMemory({ ...state, memory: { ...state.memory, page } }, (overlay, now) => {
      const place = overlay.places.conversations
      const moved = next.place !== null && place.key === around ? next.place : place.at
      return withPlace(overlay, 'conversations', placeAt(now, 'conversations', shifted(place, moved), moved))
    })
  }

export const foundArrived =
  (found: Found): Transition =>
  (state) =>
    keepingPlaces({ ...state, memory: { ...state.memory, found } }, ['found'])

export const turnsArrived =
  (of: string, next: readonly Turn[]): Transition =>
  (state) => {
    const turns = keep(state.memory.turns, { of, turns: next })
    return turns === state.memory.turns ? state : { ...state, memory: { ...state.memory, turns } }
  }

/** Frees the data when the pane is closed. */
export const memoryClosed: Transition = (state) =>
  state.memory === nothingRead ? state : { ...state, memory: nothingRead }

const keepingPlaces = (state: ConsoleState, lists: readonly MemoryList[]): ConsoleState =>
  inMemory(state, (overlay, now) =>
    lists.reduce((changed, list) => {
      const place = changed.places[list]
      const at = place.key === null ? -1 : (rowsOf(now, list)?.find(place.key) ?? -1)
      const wanted = at === -1 ? place.at : at
      return withPlace(changed, list, placeAt(now, list, shifted(place, wanted), wanted))
    }, overlay),
  )

/** New rows above push the visible ones down with the cursor, unless the first row is visible. */
const shifted = (place: Place, at: number): Place =>
  place.top === 0 ? place : { ...place, top: Math.max(0, place.top + at - place.at) }

const withPlace = (overlay: Overlay & MemoryOverlay, list: MemoryList, place: Place): Overlay & MemoryOverlay => ({
  ...overlay,
  places: { ...overlay.places, [list]: place },
})

/** Changes the pane, also below a view that was opened from it. */
const inMemory = (
  state: ConsoleState,
  change: (overlay: Overlay & MemoryOverlay, state: ConsoleState) => Overlay,
): ConsoleState => {
  const within = (overlay: Overlay | null | undefined): Overlay | null | undefined =>
    !overlay
      ? overlay
      : overlay.kind === 'memory'
        ? change(overlay, state)
        : overlay.behind
          ? { ...overlay, behind: within(overlay.behind) ?? null }
          : overlay
  const overlay = within(state.view.overlay)
  return overlay === state.view.overlay ? state : { ...state, view: { ...state.view, overlay: overlay ?? null } }
}
