import type { Radar } from '../../contracts/observations.ts'
import { perform } from '../../operations/perform/perform.ts'
import { type RadarSubject, readRadarSubjects } from '../../operations/worktrees/radar-subjects.ts'
import type { Core } from '../../operations/perform/core.ts'
import { untilCommit } from '../until-commit.ts'
import type { World } from '../world.ts'
import { fetchPushed } from './fetch-pushed.ts'
import { openRadar, type RadarScanner } from './radar.ts'
import type { ScanResult } from './scan-result.ts'

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
