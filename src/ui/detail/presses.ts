import type { Desk } from '../desk.ts'
import { sheetHeight } from '../movement.ts'
import { type ConsoleState, looking } from '../state.ts'
import { type DetailOver, detailSheet } from './sheet.ts'
import { isOpen } from './state.ts'
import { nothingToFold } from '../../text/detail.ts'

// The sections of a detail under the keys.

const shown = (state: ConsoleState) => {
  const { overlay } = state.view
  const sheet = overlay?.kind === 'detail' ? detailSheet(state, overlay) : undefined
  return overlay?.kind === 'detail' && sheet ? { overlay, sheet } : undefined
}

export const whyNoSection = (state: ConsoleState): string | undefined => ((shown(state)?.sheet.sections.length ?? 0) > 0 ? undefined : nothingToFold)

/** The next section, or the one before; from none to the first that is in sight. */
export const toSection =
  (by: 1 | -1) =>
  (desk: Desk): void =>
    desk.change((state) => {
      const open = shown(state)
      if (!open || open.sheet.sections.length === 0) return state
      const ids = open.sheet.sections.map(({ id }) => id)
      const at = ids.indexOf(open.overlay.at ?? '')
      const seen = ids.findIndex((id) => open.sheet.starts.get(id)! >= open.overlay.top)
      const next = at === -1 ? Math.max(0, seen) : Math.min(ids.length - 1, Math.max(0, at + by))
      return looking(() => ({ overlay: inSight(state, { ...open.overlay, at: ids[next]! }) }))(state)
    })

/** Opens the section under the cursor, or folds it. */
export const foldSection = (desk: Desk): void =>
  desk.change((state) => {
    const open = shown(state)
    const section = open?.sheet.sections.find(({ id }) => id === open.overlay.at) ?? open?.sheet.sections[0]
    if (!open || !section) return state
    const overlay = { ...open.overlay, at: section.id, folds: { ...open.overlay.folds, [section.id]: !isOpen(open.overlay, section) } }
    return looking(() => ({ overlay: inSight(state, overlay) }))(state)
  })

/** Scrolled so that the section under the cursor is seen, with its first lines where they fit. */
const inSight = (state: ConsoleState, overlay: DetailOver): DetailOver => {
  const { starts, total } = detailSheet(state, overlay)!
  const [height, start] = [sheetHeight(state), starts.get(overlay.at!)!]
  const next = [...starts.values()].filter((other) => other > start).sort((a, b) => a - b)[0] ?? total
  const lowest = Math.max(0, total - height)
  const below = Math.min(next - start, height)
  const top = start < overlay.top ? start : start + below > overlay.top + height ? start + below - height : overlay.top
  return { ...overlay, top: Math.min(lowest, Math.max(0, top)) }
}
