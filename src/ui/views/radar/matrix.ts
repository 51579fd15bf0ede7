import { type Conflict, conflictBetween } from '../../../domain/integration/radar.ts'
import { ours, safeText } from '../../../domain/words/safe-text.ts'
import type { RadarWorktree } from '../../../contracts/observations.ts'
import { fit } from '../../../../components/base/fit.ts'
import type { Line } from '../../../../components/Lines.tsx'
import type { ConsoleState, Overlay } from '../../core/state.ts'

// The matrix of the worktrees: a cell for each pair.

export type RadarOverlay = Extract<Overlay, { kind: 'radar' }>

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
export const shapeOf = (worktrees: readonly RadarWorktree[], width: number, column: number): Shape => {
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

export const headLine = ({ name, cell, seen }: Shape): Line => ({
  text: ours(`${' '.repeat(name)}${['T', ...seen.map(String)].map((label) => centred(label, cell)).join('')}`),
  dim: true,
})

export const matrixLine = (
  state: ConsoleState,
  overlay: RadarOverlay,
  { name, cell, seen }: Shape,
  row: number,
): Line => {
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
