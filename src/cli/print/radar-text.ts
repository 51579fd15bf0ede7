import { conflictBetween, conflictWords } from '../../domain/integration/radar.ts'
import { safeText } from '../../domain/words/safe-text.ts'
import type { Radar, RadarWorktree } from '../../contracts/observations.ts'
import { blocks, columns, section } from './columns.ts'

/** The matrix, the conflicting files of each pair, and the suggested merge order. */
export const radarText = (radar: Radar): string =>
  radar.worktrees.length === 0
    ? 'No worktrees to compare.'
    : blocks([
        `${matrix(radar)}\nC conflict, U conflict with uncommitted changes, ? cannot be compared, · merges cleanly`,
        section(
          'Conflicts',
          radar.pairs.map((conflict) => `${conflict.a} ${safeText(conflictWords({ name: conflict.b, conflict }))}`),
        ),
        section(
          'Suggested merge order',
          radar.steps.map(({ worktree, why }, at) => `${at + 1}. ${worktree}: ${safeText(why)}`),
        ),
        section(
          'Not read',
          radar.worktrees.flatMap(({ name, remark }) => (remark === null ? [] : [`${name}: ${safeText(remark)}`])),
        ),
      ])

/** One row per worktree; the columns are the target and the numbers of the worktrees. */
const matrix = (radar: Radar): string =>
  columns(
    ['#', 'WORKTREE', 'TARGET', ...radar.worktrees.map((_, at) => String(at + 1))],
    radar.worktrees.map((worktree, row) => [
      String(row + 1),
      worktree.name,
      mark(radar, worktree, worktree.target, true),
      ...radar.worktrees.map((other, column) => (column === row ? null : mark(radar, worktree, other.name, false))),
    ]),
  )

const mark = ({ pairs }: Radar, { name }: RadarWorktree, other: string, withTarget: boolean): string => {
  const conflict = conflictBetween(pairs, name, other, withTarget)
  if (!conflict) return '·'
  if (conflict.problem !== null) return '?'
  return conflict.includesUncommitted ? 'U' : 'C'
}
