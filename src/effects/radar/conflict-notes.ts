import { pairKey } from '../../domain/integration/radar.ts'
import { perform } from '../../operations/perform/perform.ts'
import type { readWishes } from '../../operations/supervision/wishes.ts'
import { readConflicts, recordConflictNote } from '../../operations/worktrees/conflicts.ts'
import type { Job } from '../job.ts'
import type { World } from '../world.ts'
import type { ScanResult } from './conflicts.ts'
import { scanWorktrees } from './radar.ts'

/**
 * From the end of one scan to the beginning of the next (ms), and at least so many times the duration of the last one.
 */
const PAUSE = { least: 3000, times: 5 } as const

/** The radar as a source of the supervisor's jobs: it scans at intervals and reports conflicts to agents. */
export const radarJobsOf = (world: World) => {
  let due = 0
  let reported: ScanResult | undefined
  const run = async (): Promise<void> => {
    const began = performance.now()
    due = Infinity
    try {
      const result = await scanWorktrees(world)
      if (result !== reported) await recordConflicts(world, result)
      reported = result
    } finally {
      due = performance.now() + Math.max(PAUSE.least, PAUSE.times * (performance.now() - began))
    }
  }
  return (
    wishes: Pick<Awaited<ReturnType<(typeof readWishes)['run']>>, 'worktrees' | 'remote'>,
    now: number,
  ): readonly Job[] => {
    // No scan runs while a worktree is built, and a console draws first.
    if (due === 0) due = now + PAUSE.least
    const mayConflict = wishes.worktrees.length > 0 || wishes.remote !== null
    return now >= due && mayConflict ? [{ key: 'radar', run }] : []
  }
}

/** Records conflicts that have begun or ended since the rows were written, by any process. */
export const recordConflicts = async ({ core, actor }: World, { radar, trees, unknown }: ScanResult): Promise<void> => {
  const open = await perform(core, readConflicts, {}, actor)
  const known = new Set(open.map(pairKey))
  for (const conflict of radar.pairs) {
    const { problem, files, ...pair } = conflict
    if (problem !== null || known.has(pairKey(conflict))) continue
    await perform(
      core,
      recordConflictNote,
      { what: 'began', ...pair, trees: [...trees(conflict)], files: [...files] },
      actor,
    )
  }
  const standing = new Set(radar.pairs.map(pairKey))
  for (const conflict of open) {
    const { a, b, withTarget } = conflict
    // A worktree that could not be read may still conflict.
    if (standing.has(pairKey(conflict)) || unknown.has(a) || (!withTarget && unknown.has(b))) continue
    await perform(core, recordConflictNote, { what: 'over', a, b, withTarget }, actor)
  }
}
