import { perform } from '../../operations/door/perform.ts'
import { readLostRuns, returnHost } from '../../operations/hosts/return-host.ts'
import { endGroup, endMarked } from '../processes/signals.ts'
import { markers } from '../runs/environment.ts'
import type { World } from '../world.ts'

/**
 * Brings a host back that was declared lost. Its agents have ended on the board and their tasks may be worked on elsewhere,
 * so their processes are killed first; the worktrees stay as they are. False while a process still runs.
 */
export const comeBack = async ({ core, actor, report }: World, hostId: string): Promise<boolean> => {
  const runs = await perform(core, readLostRuns, { hostId }, actor)
  for (const run of runs) {
    if (run.identity !== null && !(await endGroup(run.identity, core.settings.lease.terminateGrace))) return false
    await endMarked(markers(core.root, run))
  }
  const { name, returned } = await perform(core, returnHost, { hostId }, actor)
  if (returned) report(`Host ${name} was declared lost and is back; its former agents were stopped.`)
  return true
}
