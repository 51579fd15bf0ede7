import type { Controller } from '../../core/controller.ts'
import { sheetHeight } from '../../panes/movement.ts'
import { type ConsoleState, changingView } from '../../core/state.ts'
import { type DetailOver, detailSheet } from './lines.ts'
import { isOpen } from './state.ts'
import { nothingToFold } from '../../../text/common.ts'

// Keys for the sections of a detail.

const shown = (state: ConsoleState) => {
  const { overlay } = state.view
  const sheet = overlay?.kind === 'detail' ? detailSheet(state, overlay) : undefined
  return overlay?.kind === 'detail' && sheet ? { overlay, sheet } : undefined
}

export const whyNoSection = (state: ConsoleState): string | undefined =>
  (shown(state)?.sheet.sections.length ?? 0) > 0 ? undefined : nothingToFold

/** Selects the next or previous section. If the selected one is not visible, it starts from the visible part. */
export const toSection =
  (by: 1 | -1) =>
  (controller: Controller): void =>
    controller.change((state) => {
      const open = shown(state)
      if (!open || open.sheet.sections.length === 0) return state
      const starts = open.sheet.sections.map(({ id }) => open.sheet.starts.get(id)!)
      const [height, last] = [sheetHeight(state), starts.length - 1]
      const top = Math.min(open.overlay.top, Math.max(0, open.sheet.total - height))
      const at = open.sheet.sections.findIndex(({ id }) => id === open.overlay.at)
      const isSeen = at !== -1 && starts[at]! >= top && starts[at]! < top + height
      const above = starts.filter((start) => start < top).length
      const next = Math.min(last, Math.max(0, isSeen ? at + by : by > 0 ? above : above - 1))
      const overlay = inSight(state, { ...open.overlay, at: open.sheet.sections[next]!.id })
      return changingView(() => ({
        overlay: isSeen
          ? overlay
          : { ...overlay, top: by > 0 ? Math.max(top, overlay.top) : Math.min(top, overlay.top) },
      }))(state)
    })

/** Selects the section of a line of the detail; nothing scrolls. */
export const selectSection = (state: ConsoleState, overlay: DetailOver, line: number): ConsoleState => {
  const sheet = detailSheet(state, overlay)
  const height = sheetHeight(state)
  if (!sheet || line >= height) return state
  const at = Math.min(overlay.top, Math.max(0, sheet.total - height)) + line
  const section = at < sheet.total ? sheet.sections.findLast(({ id }) => sheet.starts.get(id)! <= at) : undefined
  return section ? changingView(() => ({ overlay: { ...overlay, at: section.id } }))(state) : state
}

/** Opens or folds the selected section. */
export const foldSection = (controller: Controller): void =>
  controller.change((state) => {
    const open = shown(state)
    const section = open?.sheet.sections.find(({ id }) => id === open.overlay.at) ?? open?.sheet.sections[0]
    if (!open || !section) return state
    const opens = !isOpen(open.overlay, section)
    const overlay = inSight(state, {
      ...open.overlay,
      at: section.id,
      folds: { ...open.overlay.folds, [section.id]: opens },
    })
    // The new top may be beyond the end, so that the contents become visible as they arrive.
    const top = opens && section === open.sheet.sections.at(-1) ? open.sheet.starts.get(section.id)! : overlay.top
    return changingView(() => ({ overlay: { ...overlay, top } }))(state)
  })

/** Scrolled so that the selected section is visible, with its first lines if they fit. */
export const inSight = (state: ConsoleState, overlay: DetailOver): DetailOver => {
  const { starts, total } = detailSheet(state, overlay)!
  const [height, start] = [sheetHeight(state), starts.get(overlay.at!)!]
  const next = [...starts.values()].filter((other) => other > start).sort((a, b) => a - b)[0] ?? total
  const lowest = Math.max(0, total - height)
  const below = Math.min(next - start, height)
  const seen = Math.min(lowest, overlay.top)
  const top = start < seen ? start : start + below > seen + height ? start + below - height : seen
  return { ...overlay, top: Math.min(lowest, Math.max(0, top)) }
}
