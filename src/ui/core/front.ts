import type { ConsoleState, Overlay } from './state.ts'
import type { AnyView } from './view-row.ts'

/** The row of an overlay's view. */
export const viewOf = ({ table }: Pick<ConsoleState, 'table'>, overlay: Overlay): AnyView => table.views[overlay.kind]!

/** The visible overlay, which the mouse uses: while a line is typed, the overlay below it. */
export const frontOf = (state: Pick<ConsoleState, 'table'>, overlay: Overlay | null): Overlay | null =>
  overlay !== null && viewOf(state, overlay).typed !== undefined ? frontOf(state, overlay.behind ?? null) : overlay

/** The overlay that stays visible above a question about it: itself, or the nearest below. */
export const stayingIn = (
  state: Pick<ConsoleState, 'table'>,
  overlay: Overlay | null | undefined,
): Overlay | undefined => {
  if (!overlay) return undefined
  return viewOf(state, overlay).stays ? overlay : stayingIn(state, overlay.behind)
}
