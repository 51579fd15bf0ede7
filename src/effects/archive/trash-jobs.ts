import { basename } from 'node:path'
import type { Job } from '../job.ts'
import { sweepTrash } from './trash.ts'
import type { World } from '../world.ts'

/** How often the trash is swept, and how long after the start for the first time (ms). */
const pace = { first: 60_000, every: 3_600_000 } as const

/** Deletes folders from the trash that are old enough, and reports once which were deleted and which could not be. */
export const trashJobsOf = (world: World, begun: number): ((now: number) => readonly Job[]) => {
  let due = begun + pace.first
  const told = new Set<string>()
  const run = async (): Promise<void> => {
    const { removed, kept } = await sweepTrash(world)
    if (removed.length > 0)
      world.report(
        `Removed from the trash (their archives remain): ${removed.map((path) => basename(path)).join(', ')}.`,
      )
    for (const { path, why } of kept.filter(({ path }) => !told.has(path))) {
      told.add(path)
      world.report(`${path} stays in the trash: ${why}.`)
    }
  }
  return (now) => {
    if (now < due) return []
    due = now + pace.every
    return [{ key: 'trash', run }]
  }
}
