import { conflictBetween, conflictWords } from '../../domain/radar.ts'
import { safeText } from '../../domain/safe-text.ts'
import type { Radar, RadarWorktree } from '../../operations/kernel/outside.ts'
import { blocks, columns, section } from './columns.ts'

/** The matrix, what each pair that does not merge conflicts in, and the order of landing. */
export const radarText = (radar: Radar): string =>
  radar.worktrees.length === 0
    ? 'There are no worktrees to compare.'
    : blocks([
        `${matrix(radar)}\nC conflicts, U conflicts and not all is committed, ? cannot be compared, · merges`,
        section(
          'Conflicts',
          radar.pairs.map((conflict) => `${conflict.a} ${safeText(conflictWords({ name: conflict.b, conflict }))}`),
        ),
        section(
          'Suggested landing order',
          radar.steps.map(({ worktree, why }, at) => `${at + 1}. ${worktree}: ${safeText(why)}`),
        ),
        section(
          'Not looked at',
          radar.worktrees.flatMap(({ name, remark }) => (remark === null ? [] : [`${name}: ${safeText(remark)}`])),
        ),
      ])

/** A row a worktree; the columns are the target and the numbers of the worktrees. */
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
