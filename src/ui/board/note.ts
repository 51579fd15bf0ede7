import { ours, type SafeText, safeText } from '../../domain/safe-text.ts'
import { foundWords } from '../filter/state.ts'
import type { ConsoleState } from '../state.ts'
import { paneText } from '../../text/panes.ts'

/** What stands beside the title of the board: its shape, how long the critical path is, the filter. */
export const boardNote = ({ view: { shape, filter }, shapes, found }: ConsoleState): SafeText => {
  const tree = shapes.critical.length > 1 ? paneText.critical(shapes.critical.length) : paneText.shapes.tree
  const words = [
    ...(shape.as === 'list' ? [] : [shape.as === 'tree' ? tree : paneText.shapes.columns]),
    ...(filter === '' ? [] : [`/${filter}${found === null ? '' : ` · ${foundWords(found)}`}`]),
  ]
  return ours(words.map(safeText).join('  '))
}
