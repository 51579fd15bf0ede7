import { type Conflict, type Opponent, opponentsOf, fewOf, compare } from './radar.ts'

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
