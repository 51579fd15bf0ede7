import { rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Radar, RadarWorktree } from '../../contracts/observations.ts'
import { type Conflict, landingOrder, ordered, pairKey } from '../../domain/integration/radar.ts'
import type { RadarSubject } from '../../operations/worktrees/radar-subjects.ts'
import type { Heads, Tip } from './heads.ts'
import { makeObjects, type Scratch } from './scratch.ts'
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

/** Two commits to be merged as a trial. */
export interface Merge {
  readonly ours: string
  readonly theirs: string
}

export type Merged =
  | { readonly clean: true; readonly tree: string }
  | { readonly clean: false; readonly files: readonly string[] }
  | { readonly problem: string }

/** A trial merge that shows whether two sides, or a side and its target, conflict. */
interface Pair extends Merge, Pick<Conflict, 'a' | 'b' | 'withTarget'> {
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

/** The number of merges for one process, so that stopping need not wait for all of them. */
const BATCH = 150

/** More processes at once would take the CPU from the agents. */
const LANES = Math.min(2, availableParallelism())

/**
 * Merges each pair, in the given order; `alternates` are folders with the objects of uncommitted work. A pair that git
 * refuses to merge gets the reason; undefined marks those not reached when `stopped` returned true.
 */
export const mergeAll = async (
  scratch: Scratch,
  merges: readonly Merge[],
  alternates: readonly string[],
  stopped: () => boolean,
): Promise<readonly (Merged | undefined)[]> => {
  const results = Array.from<Merged | undefined>({ length: merges.length })
  let next = 0
  const lane = async (name: string): Promise<void> => {
    // Merging writes trees and files that no process reads: they are kept apart and deleted at once.
    const objects = makeObjects(join(scratch.folder, `merges-${name}`), [scratch.objects, ...alternates])
    try {
      while (next < merges.length && !stopped()) {
        const from = next
        next = Math.min(merges.length, from + BATCH)
        const batch = await mergeBatch(scratch, merges.slice(from, next), objects)
        batch.forEach((result, at) => (results[from + at] = result))
      }
    } finally {
      await rm(objects, { recursive: true, force: true })
    }
  }
  await Promise.all(Array.from({ length: LANES }, (_, at) => lane(String(at))))
  return results
}

/** Runs one process for all of them; if it ends at a pair, another starts after that pair. */
const mergeBatch = async (scratch: Scratch, merges: readonly Merge[], objects: string): Promise<readonly Merged[]> => {
  const results: Merged[] = []
  while (results.length < merges.length) {
    const rest = merges.slice(results.length)
    const input = rest.map(({ ours, theirs }) => `${ours} ${theirs}\n`).join('')
    const { exitCode, stdout, stderr } = await scratch.run(
      ['merge-tree', '--stdin', '--name-only', '--no-messages'],
      { GIT_OBJECT_DIRECTORY: objects },
      { input, answers: [1, 128, 129] },
    )
    // git 2.38 merges one pair per process.
    if (exitCode === 129) return Promise.all(merges.map((merge) => mergeOne(scratch, merge, objects)))
    const read = answersIn(stdout).slice(0, rest.length)
    results.push(...read)
    if (read.length < rest.length) results.push({ problem: problemIn(stderr) })
  }
  return results
}

const mergeOne = async (scratch: Scratch, { ours, theirs }: Merge, objects: string): Promise<Merged> => {
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours, theirs]
  const { exitCode, stdout, stderr } = await scratch.run(args, { GIT_OBJECT_DIRECTORY: objects }, { answers: [1, 128] })
  const [tree = '', ...files] = stdout.split('\0').filter(Boolean)
  if (exitCode > 1) return { problem: problemIn(stderr) }
  return exitCode === 0 ? { clean: true, tree } : { clean: false, files: [...new Set(files)] }
}

/** `1` and the tree for a clean merge; `0`, a tree and names of files for a conflict; each ends with an empty field. */
const answersIn = (stdout: string): readonly Merged[] => {
  const fields = stdout.split('\0')
  const answers: Merged[] = []
  for (let at = 0; at + 2 < fields.length;) {
    const end = fields.indexOf('', at)
    if (end < 0) break
    const [state, tree = '', ...files] = fields.slice(at, end)
    answers.push(state === '1' ? { clean: true, tree } : { clean: false, files: [...new Set(files)] })
    at = end + 1
  }
  return answers
}

const problemIn = (stderr: string): string =>
  /refusing to merge unrelated histories/.test(stderr)
    ? 'they have no commit in common'
    : (stderr.trim().split('\n').at(-1) ?? '').replace(/^(fatal|error): /, '') || 'git printed no error'

/** A file's name for people, from its bytes (one character per byte): valid UTF-8 as text, other bytes as ⟨FF⟩. */
const fileName = (bytes: string): string => {
  const raw = Buffer.from(bytes, 'latin1')
  const text = raw.toString('utf8')
  if (Buffer.from(text, 'utf8').equals(raw)) return text
  return [...bytes]
    .map((character) => (character < '\u0080' ? character : `⟨${character.charCodeAt(0).toString(16).toUpperCase()}⟩`))
    .join('')
}
