import type { Radar } from '../../contracts/outside.ts'
import { perform } from '../../operations/door/perform.ts'
import { readRadarSubjects } from '../../operations/loops/read-radar-subjects.ts'
import type { Core } from '../../operations/door/core.ts'
import type { World } from '../world.ts'
import { fetchPushed } from './fetch-pushed.ts'
import { openRadar, type RadarScanner } from './radar.ts'
import type { ScanResult } from './scan-result.ts'

/** One radar per process and repository, shared by the console and the loops. */
const radars = new WeakMap<Core, { scanner: RadarScanner; last: Promise<ScanResult>; at: number }>()

/** A result that is not older is reused (ms). */
const FRESH = 2500

export const scanWorktrees = async (world: World, { everything = false } = {}): Promise<ScanResult> => {
  const { core, actor } = world
  const known = radars.get(core)
  if (known && !everything && performance.now() - known.at < FRESH) return known.last
  const scanner = known?.scanner ?? openRadar(core.root, core.settings.integration.target)
  const last = perform(core, readRadarSubjects, {}, actor).then(async (subjects) => {
    await fetchPushed(world, subjects)
    return scanner.scan(subjects, { everything })
  })
  radars.set(core, { scanner, last, at: performance.now() })
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
