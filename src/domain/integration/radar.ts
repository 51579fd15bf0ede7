import { someOf } from '../words/counts.ts'

// The conflict radar: which worktrees conflict with each other or with their target, and in which order to merge
// them.

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
const fewOf = (names: readonly string[]): string => someOf(names, 3)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The facts about a worktree that matter for merging it. */
export interface Lander {
  readonly name: string
  /** The target branch of its integration. */
  readonly target: string
  /**
   * True if it has changes that its target lacks; a worktree without changes conflicts with no other and need not be
   * merged.
   */
  readonly brings: boolean
  /** The number of its unfinished tasks. */
  readonly unfinished: number
  /** The number of its uncommitted files, which would not be merged. */
  readonly uncommitted: number
  /** Worktrees with tasks on which tasks of this one depend. */
  readonly needs: readonly string[]
}

export interface LandingStep {
  readonly worktree: string
  /** The reason for its place. */
  readonly why: string
}

/**
 * The suggested merge order of worktrees. A worktree comes after those on which its tasks depend; then worktrees
 * without a conflict with their target precede others, finished ones precede unfinished ones, and those with few
 * conflicts among the remaining ones precede those with many.
 */
export const landingOrder = (landers: readonly Lander[], conflicts: readonly Conflict[]): readonly LandingStep[] => {
  const left = new Map(landers.filter(({ brings }) => brings).map((lander) => [lander.name, lander]))
  const opponents = new Map([...left.keys()].map((name) => [name, opponentsOf(conflicts, name)]))
  const steps: LandingStep[] = []
  while (left.size > 0) {
    const candidates = [...left.values()].map((lander) => placed(lander, left, opponents.get(lander.name)!))
    const free = candidates.filter(({ waitsFor }) => waitsFor.length === 0)
    // Worktrees whose tasks depend on each other have no right order; one of them is still first.
    const next = (free.length > 0 ? free : candidates).reduce((best, one) => (rank(one, best) < 0 ? one : best))
    left.delete(next.lander.name)
    steps.push({ worktree: next.lander.name, why: reasonFor(next) })
  }
  return steps
}

interface Placed {
  readonly lander: Lander
  readonly waitsFor: readonly string[]
  readonly againstTarget: boolean
  /** The remaining worktrees with which it conflicts. */
  readonly against: readonly string[]
}

const placed = (lander: Lander, left: ReadonlyMap<string, Lander>, opponents: readonly Opponent[]): Placed => ({
  lander,
  waitsFor: lander.needs.filter((name) => left.has(name) && name !== lander.name),
  againstTarget: opponents.some(({ conflict }) => conflict.withTarget),
  against: opponents.flatMap(({ name, conflict }) => (!conflict.withTarget && left.has(name) ? [name] : [])),
})

const rank = (x: Placed, y: Placed): number =>
  Number(x.againstTarget) - Number(y.againstTarget) ||
  Number(isUnderWay(x.lander)) - Number(isUnderWay(y.lander)) ||
  x.against.length - y.against.length ||
  compare(x.lander.name, y.lander.name)

const isUnderWay = ({ unfinished, uncommitted }: Lander): boolean => unfinished > 0 || uncommitted > 0

const reasonFor = ({ lander, waitsFor, againstTarget, against }: Placed): string =>
  [
    waitsFor.length > 0 ? `its tasks and those of ${fewOf(waitsFor)} depend on each other` : '',
    againstTarget ? `conflicts with ${lander.target}, which must be merged into it first` : '',
    against.length > 0 ? `conflicts with ${fewOf(against)} after it` : againstTarget ? '' : 'merges without conflict',
    lander.unfinished > 0
      ? lander.unfinished === 1
        ? 'one task is unfinished'
        : `${lander.unfinished} tasks are unfinished`
      : '',
    lander.uncommitted > 0
      ? lander.uncommitted === 1
        ? 'one file is uncommitted'
        : `${lander.uncommitted} files are uncommitted`
      : '',
    lander.needs.length > 0 && waitsFor.length === 0 ? `its tasks depend on ${fewOf(lander.needs)}` : '',
  ]
    .filter((part) => part !== '')
    .join('; ')
