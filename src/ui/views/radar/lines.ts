import { type Conflict, conflictBetween, conflictWords, type LandingStep } from '../../../domain/integration/radar.ts'
import { ours, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import { fit } from '../../../../components/base/fit.ts'
import type { Line } from '../../../../components/Lines.tsx'
import { conflictLines } from '../../rows/worktrees.ts'
import { heading, widthIn } from '../../rows/lines.ts'
import { topFor } from '../../core/layout.ts'
import type { SheetContent } from '../../core/registry.ts'
import type { ConsoleState } from '../../core/state.ts'
import { cellAt, headLine, matrixLine, type RadarOverlay, shapeOf } from './matrix.ts'
import { radarText } from '../../../text/integration.ts'

/** The content that Enter opens for a cell: everything that is known about the pair. */
export const pairSheet = (
  state: ConsoleState,
  { a, b, withTarget }: Pick<Conflict, 'a' | 'b' | 'withTarget'>,
): SheetContent => {
  const conflict = conflictBetween(state.radar?.pairs ?? [], a, b, withTarget)
  const lines = conflict
    ? conflictLines({ name: b, conflict }, widthIn(state)).slice(1)
    : [{ text: ours(radarText.mergesNow) }]
  return { title: safeText(`${a} × ${b}`), total: lines.length, line: (index) => lines[index]! }
}

/** Lines below the heading: the matrix, the meaning of its letters, the suggested merge order. */
export const radarRows = (state: ConsoleState, overlay: RadarOverlay): readonly Line[] => {
  const { radar } = state
  if (radar === null) return [{ text: ours(radarText.looking), dim: true }]
  if (radar.worktrees.length === 0) return [{ text: ours(radarText.nothingToCompare), dim: true }]
  const shape = shapeOf(radar.worktrees, state.view.size.columns, overlay.column)
  return [
    ...radar.worktrees.map((_, row) => matrixLine(state, overlay, shape, row)),
    { text: ours('') },
    ...legend.map((text) => ({ text: ours(text), dim: true })),
    ...heading(radarText.order),
    ...(radar.steps.length === 0 ? [{ text: ours(radarText.nothingToLand), dim: true }] : []),
    ...orderLines(radar.steps, overlay.row - orderFrom(radar.worktrees.length)),
  ]
}

const { legend } = radarText

/** The row at which the order begins: after the matrix, an empty line, the letters, and its heading. */
export const orderFrom = (worktrees: number): number => worktrees + legend.length + 3

/** Lines of the matrix with the numbers of its columns, or of the conflicts of a pair. */
export const radarHeight = (state: ConsoleState, overlay: RadarOverlay): number =>
  overlay.pair === null
    ? radarRows(state, overlay).length + (state.radar === null || state.radar.worktrees.length === 0 ? 0 : 1)
    : pairSheet(state, overlay.pair).total

/** The visible part: the numbers of the columns stay at the top. */
export const radarWindow = (
  state: ConsoleState,
  overlay: RadarOverlay,
  height: number,
): { title: SafeText; lines: readonly Line[]; top: number; total: number } => {
  const rows = radarRows(state, overlay)
  const worktrees = state.radar?.worktrees ?? []
  const top = topFor(overlay.top, Math.min(overlay.row, rows.length - 1), Math.max(1, height - 1), rows.length)
  const heads = worktrees.length === 0 ? [] : [headLine(shapeOf(worktrees, state.view.size.columns, overlay.column))]
  return {
    title: titleOf(state, overlay),
    lines: [...heads, ...rows.slice(top, top + height - heads.length)],
    top,
    total: rows.length,
  }
}

const titleOf = (state: ConsoleState, { row, column }: RadarOverlay): SafeText => {
  const cell = cellAt(state, row, column)
  if (!cell) return ours(radarText.title)
  const words = cell.conflict
    ? conflictWords({ name: cell.b, conflict: cell.conflict })
    : cell.a.brings
      ? radarText.mergesWith(cell.b)
      : radarText.holdsNothing(cell.a.target)
  return ours(radarText.about(safeText(`${cell.a.name} ${words}`)))
}

const orderLines = (steps: readonly LandingStep[], cursor: number): readonly Line[] => {
  const names = steps.map(({ worktree }, at) => `${at + 1}. ${safeText(worktree)}`)
  const width = Math.min(24, Math.max(...names.map((name) => name.length)))
  return steps.map(({ why }, at) => ({
    text: ours(`${fit(names[at]!, width)}  ${safeText(why)}`),
    lead: ours(''),
    cursor: at === cursor,
  }))
}
