import type { ConsoleState } from '../../core/state.ts'
import { indexOf, type Place, rowsOf, shownBlocks, topOf } from './rows.ts'
import { type Block, compare, type ConversationOverlay } from './state.ts'

/** The block on which keys act: the selected one while it is visible, otherwise the last while following, or the first. */
export const cursorOf = (state: ConsoleState, overlay: ConversationOverlay, height: number): Block | undefined => {
  const blocks = shownBlocks(state)
  const top = topOf(state, overlay, height)
  const bottom = bottomOf(state, overlay, top, height)
  const index = overlay.cursor === null ? -1 : indexOf(blocks, overlay.cursor)
  const isThere = index !== -1 && blocks[index] !== undefined && compare(blocks[index], overlay.cursor!) === 0
  if (isThere && index >= top.index && index <= bottom) return blocks[index]
  return blocks[overlay.place === null ? bottom : top.index]
}

/** The index of the last visible block. */
export const bottomOf = (state: ConsoleState, overlay: ConversationOverlay, top: Place, height: number): number => {
  const blocks = shownBlocks(state)
  let left = height + top.piece
  let index = top.index
  while (index < blocks.length && left > 0) left -= rowsOf(state, overlay, blocks[index++]!).length
  return Math.max(top.index, index - 1)
}
