import { ours, type SafeText, safeText } from '../../../domain/words/safe-text.ts'
import { foundWords } from './found.ts'
import type { ConsoleState } from '../../core/state.ts'
import { paneText } from '../../../text/panes.ts'

/** The note beside the board's title: its shape, the length of the critical path, the filter. */
export const boardNote = ({ view: { shape, filter }, shapes, found }: ConsoleState): SafeText => {
  const tree = shapes.critical.length > 1 ? paneText.critical(shapes.critical.length) : paneText.shapes.tree
  const words = [
    ...(shape.as === 'list' ? [] : [shape.as === 'tree' ? tree : paneText.shapes.columns]),
    ...(filter === '' ? [] : [`/${filter}${found === null ? '' : ` · ${foundWords(found)}`}`]),
  ]
  return ours(words.map(safeText).join('  '))
}
