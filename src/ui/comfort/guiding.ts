import type { ConsoleState, Transition } from '../state.ts'
import { comforting } from './arrangement.ts'

/** Whoever takes the guidance away never sees it again. */
export const dismissGuide: Transition = (state) => (isGuiding(state) ? comforting(() => ({ guided: true }))(state) : state)

/** Nobody has put a task on the board yet, and nobody has taken the guidance away. */
export const isGuiding = ({ loaded, comfort, board, view }: ConsoleState): boolean =>
  loaded && !comfort.guided && view.filter === '' && board.tasks.length === 0 && Object.values(board.counts).every((count) => count === 0)
