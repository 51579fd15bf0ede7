import { ours, safeText } from '../../../domain/words/safe-text.ts'
import type { SheetProps } from '../../../../components/Sheet.tsx'
import { topFor } from '../../core/layout.ts'
import { type ConsoleState, changingView, type Overlay } from '../../core/state.ts'
import type { SavedOverlay } from './state.ts'
import { filterText } from '../../../text/tasks.ts'

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
