import type { Line } from '../../../../components/Lines.tsx'
import { fit } from '../../../../components/base/fit.ts'
import type { RadarWorktree } from '../../../contracts/observations.ts'
import { type Conflict, conflictBetween, conflictWords, type LandingStep } from '../../../domain/integration/radar.ts'
import { ours, safeText, type SafeText } from '../../../domain/words/safe-text.ts'
import { radarText } from '../../../text/integration.ts'
import { topFor } from '../../core/layout.ts'
import type { SheetContent } from '../../core/registry.ts'
import type { ConsoleState, Overlay } from '../../core/state.ts'
import { heading, widthIn } from '../../rows/lines.ts'
import { conflictLines } from '../../rows/worktrees.ts'

export type RadarOverlay = Extract<Overlay, { kind: 'radar' }>

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

const orderLines = (steps: readonly LandingStep[], cursor: number): readonly Line[] => {
  const names = steps.map(({ worktree }, at) => `${at + 1}. ${safeText(worktree)}`)
  const width = Math.min(24, Math.max(...names.map((name) => name.length)))
  return steps.map(({ why }, at) => ({
    text: ours(`${fit(names[at]!, width)}  ${safeText(why)}`),
    lead: ours(''),
    cursor: at === cursor,
  }))
}

/** Lines of the matrix with the numbers of its columns, or of the conflicts of a pair. */
export const radarHeight = (state: ConsoleState, overlay: RadarOverlay): number =>
  overlay.pair === null
    ? radarRows(state, overlay).length + (state.radar === null || state.radar.worktrees.length === 0 ? 0 : 1)
    : pairSheet(state, overlay.pair).total

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

// The matrix of the worktrees: a cell for each pair.

/** The columns: the target, then every worktree. */
export const columnsOf = (worktrees: readonly RadarWorktree[]): number => worktrees.length + 1

/** The pair of a cell; undefined on the diagonal and below the matrix. */
export const cellAt = (
  { radar }: ConsoleState,
  row: number,
  column: number,
): { a: RadarWorktree; b: string; withTarget: boolean; conflict: Conflict | undefined } | undefined => {
  const a = radar?.worktrees[row]
  if (!radar || !a) return undefined
  const b = column === 0 ? a.target : radar.worktrees[column - 1]?.name
  if (b === undefined || column - 1 === row) return undefined
  return { a, b, withTarget: column === 0, conflict: conflictBetween(radar.pairs, a.name, b, column === 0) }
}

/**
 * The column of the matrix at one of the screen, counted from inside the border; undefined on a name, and after the
 * last.
 */
export const columnUnder = ({ radar, view }: ConsoleState, overlay: RadarOverlay, at: number): number | undefined => {
  const { name, cell, seen } = shapeOf(radar?.worktrees ?? [], view.size.columns, overlay.column)
  // The cursor's mark precedes the name.
  return [0, ...seen][Math.floor((at - 1 - name) / cell)]
}

interface Shape {
  readonly name: number
  /** Columns of the screen per cell. */
  readonly cell: number
  /** The visible columns, always including the target. */
  readonly seen: readonly number[]
}

/** As many columns as fit, including the selected one. */
const shapeOf = (worktrees: readonly RadarWorktree[], width: number, column: number): Shape => {
  const inside = width - 4
  const digits = String(worktrees.length).length
  const cell = digits + 2
  const longest = Math.max(...worktrees.map(({ name }) => name.length))
  const name = digits + 1 + Math.max(8, Math.min(longest, Math.floor(inside / 3)))
  const room = Math.max(1, Math.floor((inside - name - cell) / cell))
  // Scrolls by a page of columns, because otherwise all columns would move at every step.
  const from = column === 0 ? 0 : Math.min(Math.floor((column - 1) / room) * room, Math.max(0, worktrees.length - room))
  return { name, cell, seen: Array.from({ length: Math.min(room, worktrees.length) }, (_, at) => from + at + 1) }
}

const headLine = ({ name, cell, seen }: Shape): Line => ({
  text: ours(`${' '.repeat(name)}${['T', ...seen.map(String)].map((label) => centred(label, cell)).join('')}`),
  dim: true,
})

const matrixLine = (state: ConsoleState, overlay: RadarOverlay, { name, cell, seen }: Shape, row: number): Line => {
  const { worktrees } = state.radar!
  const worktree = worktrees[row]!
  const digits = String(worktrees.length).length
  const here = overlay.row === row
  const cells = [0, ...seen].map((column) => {
    const mark = markOf(cellAt(state, row, column))
    return here && overlay.column === column ? `[${mark.padEnd(cell - 2)}]` : centred(mark, cell)
  })
  const label = `${String(row + 1).padStart(digits)} ${safeText(worktree.name)}`
  return {
    text: ours(`${fit(label, name)}${cells.join('')}`),
    lead: ours(''),
    cursor: here,
    dim: !here && !worktree.brings,
  }
}

const markOf = (cell: ReturnType<typeof cellAt>): string => {
  if (cell === undefined) return '–'
  if (cell.conflict === undefined) return '·'
  if (cell.conflict.problem !== null) return '?'
  return cell.conflict.includesUncommitted ? 'U' : 'C'
}

const centred = (text: string, width: number): string => {
  const before = Math.max(0, Math.floor((width - text.length) / 2))
  return `${' '.repeat(before)}${text}`.padEnd(width)
}
