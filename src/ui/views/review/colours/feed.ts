import type { DiffIndex } from '../../../../domain/words/unified-diff.ts'
import type { Feed } from '../../../core/registry.ts'
import type { ConsoleState } from '../../../core/state.ts'
import { themeOf } from '../../../core/theme.ts'
import { sheetHeight } from '../../../panes/movement.ts'
import { isColoured } from '../file/code-parts.ts'
import { diffOf } from '../state.ts'
import { approvalIn, reviewDocument, reviewOf, standing } from '../window.ts'
import { colourAround } from './chunk.ts'

/** A line that is visible or will be after a page, and has no colours yet. */
interface Wanted {
  readonly index: DiffIndex
  readonly line: number
  readonly path: string
}

/** Colours the lines of the review that are visible, after the frame that shows them: a chunk in each turn. */
export const startColours: Feed = (_options, store, careful) => {
  let [isRunning, hasStopped] = [false, false]
  const run = careful(async () => {
    const { languageOf, partsIn } = await import('./highlighter.ts')
    for (let wanted = firstWanted(store.getState()); wanted && !hasStopped; wanted = firstWanted(store.getState())) {
      const { index, line, path } = wanted
      const language = languageOf(path)
      colourAround(index, line, (lines) => (language === undefined ? [] : partsIn(language, lines)))
      if (language !== undefined) store.setState(({ coloured }) => ({ coloured: coloured + 1 }))
      await new Promise((next) => setImmediate(next))
    }
  })
  const stop = store.subscribe((state) => {
    if (isRunning || !firstWanted(state)) return
    isRunning = true
    setImmediate(() => void run().finally(() => (isRunning = false)))
  })
  return () => {
    hasStopped = true
    stop()
  }
}

const firstWanted = (state: ConsoleState): Wanted | undefined => {
  const overlay = approvalIn(state.view.overlay)
  if (!overlay || themeOf(state.preferences.theme).diff === null) return undefined
  const loaded = reviewOf(state, overlay.worktree)
  const document = loaded && reviewDocument(state, overlay)
  if (!document) return undefined
  const height = sheetHeight(state)
  const { top } = standing(document, overlay, height)
  for (let row = top; row < Math.min(document.total, top + 2 * height); row++) {
    const { file, line } = document.placeOf(row)
    const found = loaded.review.files[file]
    const index = found && line >= 0 ? diffOf(loaded, found) : undefined
    if (index && line < index.count && !isColoured(index, line)) return { index, line, path: found!.path }
  }
  return undefined
}
