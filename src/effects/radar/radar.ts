import type { Radar } from '../../contracts/observations.ts'
import type { Core } from '../../operations/perform/core.ts'
import { perform } from '../../operations/perform/perform.ts'
import { type RadarSubject, readRadarSubjects } from '../../operations/worktrees/radar-subjects.ts'
import { untilCommit } from '../until-commit.ts'
import type { World } from '../world.ts'
import {
  changedSides,
  emptyScan,
  type Merge,
  mergeAll,
  type Merged,
  type ScanResult,
  scanResultOf,
  type Side,
  withOthers,
  withTargets,
} from './conflicts.ts'
import { fetchPushed, type Heads, headsPrint, readHeads } from './heads.ts'
import { openScratch, type Scratch } from './scratch.ts'
import { Snapshots } from './snapshot.ts'

/** One radar per process and repository, shared by the console and the loops. */
const radars = new WeakMap<Core, Known>()

interface Known {
  readonly scanner: RadarScanner
  /** They change with a commit only, except the files. */
  readonly subjects: () => Promise<readonly RadarSubject[]>
  readonly last: Promise<ScanResult>
  readonly at: number
}

/** A result that is not older is reused (ms). */
const FRESH = 2500

export const scanWorktrees = async (world: World, { everything = false } = {}): Promise<ScanResult> => {
  const { core, actor } = world
  const known = radars.get(core)
  if (known && !everything && performance.now() - known.at < FRESH) return known.last
  const scanner = known?.scanner ?? openRadar(core.root, core.settings.integration.target)
  const read = untilCommit(core.store, () => perform(core, readRadarSubjects, {}, actor))
  const subjects = known?.subjects ?? (() => read(''))
  const scan = async (): Promise<ScanResult> => {
    const found = await subjects()
    await fetchPushed(world, found)
    return scanner.scan(found, { everything })
  }
  const last = scan()
  radars.set(core, { scanner, subjects, last, at: performance.now() })
  return last
}

export const radarOf = async (world: World, options?: { readonly everything?: boolean }): Promise<Radar> =>
  (await scanWorktrees(world, options)).radar

/** Closes the radar of this process. */
export const closeRadar = async ({ core }: World): Promise<void> => {
  const known = radars.get(core)
  radars.delete(core)
  await known?.scanner.close()
}

/** How many worktrees are read at once: each takes a CPU while git compares its files. */
const READERS = 2

interface RadarScanner {
  /** Scans worktrees that may have changed since the last scan; with `everything`, all of them. */
  scan(subjects: readonly RadarSubject[], options?: { readonly everything?: boolean }): Promise<ScanResult>
  /** Cancels running work and deletes its files. */
  close(): Promise<void>
}

/** Caches snapshots and merges, so that a scan without changes starts no process. */
export const openRadar = (root: string, mainTarget: string, now: () => number = Date.now): RadarScanner =>
  new CachingRadar(root, mainTarget, now)

class CachingRadar implements RadarScanner {
  readonly #root: string
  readonly #mainTarget: string
  readonly #snapshots: Snapshots
  #scratch: Scratch | undefined
  #heads: { print: string; subjects: string; found: Heads } | undefined
  #merged = new Map<string, Merged>()
  #last = emptyScan
  /** Worktrees and commits of the last result, as one text. */
  #seen = ''
  #stopped = false
  #turn: Promise<unknown> = Promise.resolve()

  constructor(root: string, mainTarget: string, now: () => number) {
    this.#root = root
    this.#mainTarget = mainTarget
    this.#snapshots = new Snapshots(now)
  }

  scan(
    subjects: readonly RadarSubject[],
    { everything = false }: { readonly everything?: boolean } = {},
  ): Promise<ScanResult> {
    const next = this.#turn.then(() => (this.#stopped ? this.#last : this.#scan(subjects, everything)))
    this.#turn = next.catch(() => {})
    return next
  }

  async close(): Promise<void> {
    this.#stopped = true
    await this.#turn
    this.#scratch?.close()
  }

  async #scan(subjects: readonly RadarSubject[], everything: boolean): Promise<ScanResult> {
    if (subjects.length === 0 && this.#scratch === undefined) return emptyScan
    const scratch = (this.#scratch ??= await openScratch(this.#root))
    if (await scratch.refresh()) this.#merged.clear()
    const { worktrees, targets } = await this.#tips(scratch, subjects, everything)
    const sides = await this.#sides(scratch, subjects, worktrees, everything)
    this.#snapshots.forget(subjects)
    // The same worktrees at the same commits give the same result.
    const state = JSON.stringify([
      subjects.map(({ living: _, ...subject }) => subject),
      sides.map(({ subject, oid, remark }) => [subject.name, oid, remark]),
      [...targets],
    ])
    if (state === this.#seen || this.#stopped) return this.#last
    const main = targets.get(this.#mainTarget)
    if (main && (await scratch.useAttributesOf(main.tree))) this.#merged.clear()
    const next = await this.#compare(scratch, subjects, sides, targets)
    if (this.#stopped) return this.#last
    this.#seen = state
    return (this.#last = next)
  }

  async #tips({ common }: Scratch, subjects: readonly RadarSubject[], everything: boolean): Promise<Heads> {
    const print = headsPrint(common, subjects)
    const named = JSON.stringify(
      subjects.map(({ name, branch, path, pushed, target }) => [name, branch, path, pushed, target]),
    )
    if (!everything && this.#heads?.print === print && this.#heads.subjects === named) return this.#heads.found
    const found = await readHeads(this.#root, subjects)
    this.#heads = { print, subjects: named, found }
    return found
  }

  async #sides(
    scratch: Scratch,
    subjects: readonly RadarSubject[],
    tips: Heads['worktrees'],
    everything: boolean,
  ): Promise<readonly Side[]> {
    const sides: Side[][] = subjects.map(() => [])
    const open = subjects.entries()
    const reader = async (): Promise<void> => {
      for (const [at, subject] of open) {
        const tip = tips.get(subject.name)
        if (tip && !this.#stopped)
          sides[at] = [{ ...(await this.#snapshots.of(scratch, subject, tip, everything)), subject }]
      }
    }
    await Promise.all(Array.from({ length: READERS }, reader))
    return sides.flat()
  }

  async #compare(
    scratch: Scratch,
    subjects: readonly RadarSubject[],
    sides: readonly Side[],
    targets: Heads['targets'],
  ): Promise<ScanResult> {
    const kept = new Map<string, Merged>()
    const objects = sides.flatMap((side) => side.objects ?? [])
    const resultOf = (merge: Merge): Merged | undefined => kept.get(keyOf(merge))
    const merge = async (pairs: readonly Merge[]): Promise<void> => {
      for (const pair of pairs) if (this.#merged.has(keyOf(pair))) kept.set(keyOf(pair), this.#merged.get(keyOf(pair))!)
      const missing = [...new Map(pairs.filter((pair) => !resultOf(pair)).map((pair) => [keyOf(pair), pair])).values()]
      if (missing.length === 0) return
      const results = await mergeAll(scratch, missing, objects, () => this.#stopped)
      missing.forEach((pair, at) => results[at] && kept.set(keyOf(pair), results[at]))
    }
    const ofTargets = withTargets(sides, targets)
    await merge(ofTargets)
    const able = changedSides(sides, targets, resultOf)
    const ofOthers = withOthers(able)
    await merge(ofOthers)
    if (!this.#stopped) this.#merged = kept
    return scanResultOf(subjects, sides, able, [...ofTargets, ...ofOthers], resultOf)
  }
}

const keyOf = ({ ours, theirs }: Merge): string => `${ours} ${theirs}`
