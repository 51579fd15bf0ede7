import type { SafeText } from '../../domain/words/safe-text.ts'
import type { Line } from '../../../components/Lines.tsx'
import type { ConsoleState } from './state.ts'
import { viewOf } from './front.ts'
import type { SheetContent } from './view-row.ts'

export type { SheetContent }

/** The content of the front overlay, if it is text to read. */
export const sheetOf = (state: ConsoleState): SheetContent | undefined => {
  const { overlay } = state.view
  return overlay === null ? undefined : viewOf(state, overlay).content?.(state, overlay)
}

export const sheetOfLines = (title: SafeText, lines: readonly Line[]): SheetContent => ({
  title,
  total: lines.length,
  line: (index) => lines[index]!,
})
