import { perform } from '../../operations/door/perform.ts'
import { SUPERVISOR } from '../../operations/door/supervision.ts'
import { readRemainingWork } from '../../operations/sessions/read-remaining-work.ts'
import { releaseLease } from '../../operations/loops/release-lease.ts'
import { takeLease } from '../../operations/loops/take-lease.ts'
import { isDeadHolder } from '../processes/holder.ts'
import type { World } from '../world.ts'

/** A killed holder does not supervise: no process has to wait for the end of its term. */
export const takeSupervision = async (world: World, ttl: number) => {
  const ask = () =>
    perform(world.core, takeLease, { name: SUPERVISOR, holder: world.holder, pid: process.pid, ttl }, world.actor)
  const lease = await ask()
  if (lease.granted || !isDeadHolder(lease.holder)) return lease
  await perform(world.core, releaseLease, { name: SUPERVISOR, holder: lease.holder }, world.actor)
  return ask()
}

export const remainingWork = (world: World) => perform(world.core, readRemainingWork, {}, world.actor)
