import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { RadarSubject } from '../../operations/worktrees/radar-subjects.ts'
import { stampsOf } from '../files/file-stamps.ts'
import type { Scratch } from './scratch.ts'
import { asPushed, type Snapshot, takeSnapshot } from './snapshot.ts'

/**
 * An edit in place of a file that git has not listed as changed touches neither the index nor a folder, so no
 * fingerprint shows it. In a worktree with a running agent, and after a failed scan, git therefore compares all files
 * after so long anyway (ms); elsewhere such an edit is found with the next commit or `git add`, or by a full scan.
 */
const AGAIN = 10_000

/** The last snapshot of each worktree. */
export class Snapshots {
  readonly #known = new Map<string, { tip: string; taken: Snapshot; at: number; folder: string }>()
  readonly #now: () => number
  #folders = 0

  constructor(now: () => number) {
    this.#now = now
  }

  async of(
    scratch: Scratch,
    subject: RadarSubject,
    tip: { readonly oid: string; readonly tree: string },
    everything: boolean,
  ): Promise<Snapshot> {
    const { name, living, pushed } = subject
    if (pushed !== null) return asPushed(tip)
    const known = this.#known.get(name)
    const due = everything || ((living || known?.taken.failed) && this.#now() - (known?.at ?? 0) >= AGAIN)
    if (known && known.tip === tip.oid && !due && stampsOf(known.taken.watched) === known.taken.print)
      return known.taken
    const folder = join(scratch.folder, `worktree-${this.#folders++}`)
    const taken = await takeSnapshot(scratch, subject, tip, folder)
    this.#known.set(name, { tip: tip.oid, taken, at: this.#now(), folder })
    if (known) rmSync(known.folder, { recursive: true, force: true })
    return taken
  }

  /** Snapshots of other worktrees are deleted. */
  forget(subjects: readonly RadarSubject[]): void {
    const names = new Set(subjects.map(({ name }) => name))
    for (const [name, { folder }] of this.#known) {
      if (names.has(name)) continue
      rmSync(folder, { recursive: true, force: true })
      this.#known.delete(name)
    }
  }
}
