import type { RadarSubject } from '../../operations/worktrees/radar-subjects.ts'
import { type Heads, headsPrint, readHeads } from './heads.ts'
import { type Merge, mergeAll, type Merged } from './merges.ts'
import { openScratch, type Scratch } from './scratch.ts'
import {
  changedSides,
  emptyScan,
  type ScanResult,
  scanResultOf,
  type Side,
  withOthers,
  withTargets,
} from './scan-result.ts'
import { Snapshots } from './snapshots.ts'

/** How many worktrees are read at once: each takes a CPU while git compares its files. */
const READERS = 2

export interface RadarScanner {
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
