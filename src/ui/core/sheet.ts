import type { SafeText } from '../../domain/words/safe-text.ts'
import type { Line } from '../../../components/Lines.tsx'
import type { ConsoleState, Overlay } from './state.ts'
import { viewOf } from './front.ts'
import type { SheetContent } from './view-row.ts'

export type { SheetContent }

/** The content of the front overlay, if it is text to read. */
export const sheetOf = (state: ConsoleState): SheetContent | undefined =>
  state.view.overlay === null ? undefined : contentOf(state, state.view.overlay)

/** The content of an overlay. One frame needs it several times: its height, its lines, the target of the mouse. */
export const contentOf = (state: ConsoleState, overlay: Overlay): SheetContent | undefined => {
  const known = last.get(state)
  if (known?.overlay === overlay) return known.content
  const content = viewOf(state, overlay).content?.(state, overlay)
  last.set(state, { overlay, content })
  return content
}

const last = new WeakMap<ConsoleState, { readonly overlay: Overlay; readonly content: SheetContent | undefined }>()

export const sheetOfLines = (title: SafeText, lines: readonly Line[]): SheetContent => ({
  title,
  total: lines.length,
  line: (index) => lines[index]!,
})
