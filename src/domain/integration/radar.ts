import { someOf } from '../words/count.ts'

// Determines which worktrees conflict with each other or with their target.

/** A worktree and another, or its target, that have a merge conflict. */
export interface Conflict {
  /** Of two worktrees the first by name. */
  readonly a: string
  /** The other worktree, or with `withTarget` the branch. */
  readonly b: string
  readonly withTarget: boolean
  readonly files: readonly string[]
  /** True if one of the files is uncommitted in one of the two. */
  readonly includesUncommitted: boolean
  /** The reason why the two cannot even be compared, if any; then no files are named. */
  readonly problem: string | null
}

/** The other side of a worktree's conflict. */
export interface Opponent {
  readonly name: string
  readonly conflict: Conflict
}

/** The key of a pair, the same for both sides. */
export const pairKey = ({ a, b, withTarget }: Pick<Conflict, 'a' | 'b' | 'withTarget'>): string =>
  `${withTarget ? 'target' : 'worktree'} ${a} ${b}`

/** Two worktrees in the order in which a pair names them. */
export const ordered = (one: string, other: string): readonly [string, string] =>
  one < other ? [one, other] : [other, one]

/** The target first, then the other worktrees by name. */
export const opponentsOf = (conflicts: readonly Conflict[], worktree: string): readonly Opponent[] =>
  conflicts
    .filter(({ a, b, withTarget }) => a === worktree || (b === worktree && !withTarget))
    .map((conflict) => ({ name: conflict.a === worktree ? conflict.b : conflict.a, conflict }))
    .sort((x, y) => Number(y.conflict.withTarget) - Number(x.conflict.withTarget) || compare(x.name, y.name))

/** The conflict between a worktree and another one, or its target; undefined if there is none. */
export const conflictBetween = (
  conflicts: readonly Conflict[],
  one: string,
  other: string,
  withTarget: boolean,
): Conflict | undefined => {
  const [a, b] = withTarget ? [one, other] : ordered(one, other)
  return conflicts.find((conflict) => conflict.a === a && conflict.b === b && conflict.withTarget === withTarget)
}

/** `conflicts with payments in a.ts, b.ts and 3 more`, for a worktree. */
export const conflictWords = ({ name, conflict }: Opponent): string => {
  if (conflict.problem !== null) return `cannot be merged with ${name}: ${conflict.problem}`
  return `conflicts with ${name}${conflict.files.length > 0 ? ` in ${fewOf(conflict.files)}` : ''}${conflict.includesUncommitted ? ', including uncommitted changes' : ''}`
}

/** The message to an agent whose worktree begins to conflict. */
export const warningFor = (opponent: Opponent): string =>
  opponent.conflict.withTarget
    ? `This worktree ${conflictWords(opponent)}. Merge ${opponent.name} into it before its integration.`
    : `This worktree ${conflictWords(opponent)}. The one that is merged second must resolve it.`

/** The message at the end of the conflict; `gone` if the other worktree no longer exists. */
export const reliefFor = (name: string, gone: boolean): string =>
  gone
    ? `Worktree ${name}, which conflicted with this one, is gone.`
    : `This worktree no longer conflicts with ${name}.`

/** The first three names, and how many more there are. */
export const fewOf = (names: readonly string[]): string => someOf(names, 3)

export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
