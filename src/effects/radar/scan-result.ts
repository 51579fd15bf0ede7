import { type Conflict, landingOrder, ordered, pairKey } from '../../domain/integration/radar.ts'
import type { Radar, RadarWorktree } from '../../contracts/observations.ts'
import type { RadarSubject } from '../../operations/worktrees/radar-subjects.ts'
import { fileName } from './file-name.ts'
import type { Heads, Tip } from './heads.ts'
import type { Merge, Merged } from './merges.ts'
import type { Snapshot } from './snapshot.ts'

// Converts commits and their trial merges to conflicts for display.

/** The result of a scan; `trees` are the merged trees, in the order of the pair. */
export interface ScanResult {
  readonly radar: Radar
  readonly trees: (conflict: Conflict) => readonly [string, string]
  /** Worktrees that could not be read completely: their earlier conflicts may still exist. */
  readonly unknown: ReadonlySet<string>
}

export const emptyScan: ScanResult = {
  radar: { worktrees: [], pairs: [], order: [], steps: [] },
  trees: () => ['', ''],
  unknown: new Set(),
}

/** A worktree with its snapshot. */
export interface Side extends Snapshot {
  readonly subject: RadarSubject
}

/** A trial merge that shows whether two sides, or a side and its target, conflict. */
export interface Pair extends Merge, Pick<Conflict, 'a' | 'b' | 'withTarget'> {
  readonly sides: readonly Side[]
  readonly trees: readonly [string, string]
}

/** Each side with its target, except sides at the target itself. */
export const withTargets = (sides: readonly Side[], targets: Heads['targets']): readonly Pair[] =>
  sides.flatMap((side): Pair[] => {
    const target = targets.get(side.subject.target)
    if (target === undefined || target.oid === side.oid) return []
    return [
      {
        a: side.subject.name,
        b: side.subject.target,
        withTarget: true,
        ours: target.oid,
        theirs: side.oid,
        sides: [side],
        trees: [side.tree, target.tree],
      },
    ]
  })

/** Sides with changes: if the merge equals the target, a worktree conflicts with no other. */
export const changedSides = (
  sides: readonly Side[],
  targets: Heads['targets'],
  resultOf: (pair: Merge) => Merged | undefined,
): readonly Side[] => {
  const idle = (side: Side, target: Tip): boolean => {
    if (target.oid === side.oid) return true
    const result = resultOf({ ours: target.oid, theirs: side.oid })
    return result !== undefined && 'tree' in result && result.tree === target.tree
  }
  return sides.filter((side) => {
    const target = targets.get(side.subject.target)
    return target === undefined || !idle(side, target)
  })
}

/** Each side with every other one. */
export const withOthers = (sides: readonly Side[]): readonly Pair[] => {
  const byName = new Map(sides.map((side) => [side.subject.name, side]))
  const names = [...byName.keys()]
  return names.flatMap((name, at) =>
    names.slice(at + 1).flatMap((other): Pair[] => {
      const [a, b] = ordered(name, other)
      const [one, two] = [byName.get(a)!, byName.get(b)!]
      return one.oid === two.oid
        ? []
        : [{ a, b, withTarget: false, ours: one.oid, theirs: two.oid, sides: [one, two], trees: [one.tree, two.tree] }]
    }),
  )
}

export const scanResultOf = (
  subjects: readonly RadarSubject[],
  sides: readonly Side[],
  able: readonly Side[],
  pairs: readonly Pair[],
  resultOf: (pair: Merge) => Merged | undefined,
): ScanResult => {
  const found = pairs.flatMap((pair) => {
    const conflict = conflictOf(pair, resultOf(pair))
    return conflict ? [{ conflict, pair }] : []
  })
  const trees = new Map(found.map(({ conflict, pair }) => [pairKey(conflict), pair.trees]))
  const conflicts = found.map(({ conflict }) => conflict)
  const holding = new Set(able.map(({ subject }) => subject.name))
  const byName = new Map(sides.map((side) => [side.subject.name, side]))
  const worktrees = subjects.map((subject) => worktreeOf(subject, byName.get(subject.name), holding))
  const steps = landingOrder(worktrees, conflicts)
  return {
    radar: { worktrees, pairs: conflicts, order: steps.map(({ worktree }) => worktree), steps },
    trees: (conflict) => trees.get(pairKey(conflict)) ?? ['', ''],
    unknown: new Set(subjects.flatMap(({ name }) => (byName.get(name)?.failed === false ? [] : [name]))),
  }
}

const worktreeOf = (
  { name, target, unfinished, needs, pushed }: RadarSubject,
  side: Side | undefined,
  holding: ReadonlySet<string>,
): RadarWorktree => ({
  name,
  target,
  brings: holding.has(name),
  unfinished,
  needs,
  uncommitted: side?.uncommitted.size ?? 0,
  remark: side === undefined ? missing(pushed) : side.remark,
})

const missing = (pushed: string | null): string =>
  pushed === null
    ? 'its folder and its branch are missing'
    : 'the commits that its host has pushed are not here yet; aiswarm fetches them when the git remote answers'

const conflictOf = ({ a, b, withTarget, sides }: Pair, result: Merged | undefined): Conflict | undefined => {
  if (result === undefined || 'tree' in result) return undefined
  if ('problem' in result) return { a, b, withTarget, files: [], includesUncommitted: false, problem: result.problem }
  const isOpen = (name: string): boolean => sides.some(({ uncommitted }) => uncommitted.has(name))
  return {
    a,
    b,
    withTarget,
    files: result.files.map(fileName),
    includesUncommitted: result.files.some(isOpen),
    problem: null,
  }
}
