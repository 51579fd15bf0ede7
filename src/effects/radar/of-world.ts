import type { Radar } from '../../operations/kernel/outside.ts'
import { perform } from '../../operations/kernel/perform.ts'
import { readRadarSubjects } from '../../operations/read-radar-subjects.ts'
import type { Core } from '../../operations/kernel/core.ts'
import type { World } from '../world.ts'
import { openRadar, type RadarEye } from './radar.ts'
import type { Sight } from './sight.ts'

/** One radar a process and repository: the console and the loops look through the same. */
const radars = new WeakMap<Core, { eye: RadarEye; last: Promise<Sight>; at: number }>()

/** A look that lies no further back than this serves again (ms). */
const FRESH = 2500

export const lookAround = async (world: World, { everything = false } = {}): Promise<Sight> => {
  const { core, actor } = world
  const known = radars.get(core)
  if (known && !everything && performance.now() - known.at < FRESH) return known.last
  const eye = known?.eye ?? openRadar(core.root, core.settings.integration.target)
  const last = perform(core, readRadarSubjects, {}, actor).then((subjects) => eye.look(subjects, { everything }))
  radars.set(core, { eye, last, at: performance.now() })
  return last
}

export const radarOf = async (world: World, options?: { readonly everything?: boolean }): Promise<Radar> => (await lookAround(world, options)).radar

/** The process needs its radar no longer. */
export const closeRadar = async ({ core }: World): Promise<void> => {
  const known = radars.get(core)
  radars.delete(core)
  await known?.eye.close()
}
