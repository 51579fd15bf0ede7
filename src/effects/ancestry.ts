import { readFileSync } from 'node:fs'
import { livenessOf } from './process-identity.ts'
import { readProcessTable } from './process-table.ts'
import { look } from './loops.ts'
import type { World } from './world.ts'

/**
 * The agent in whose processes this one was started, if any: an agent that clears its environment, or opens a terminal of
 * its own, is still no person. A process that has also left its parents cannot be told.
 */
export const agentAbove = async (world: World): Promise<string | undefined> => {
  const { runs } = await look(world)
  const table = new Map(readProcessTable().map((entry) => [entry.pid, entry]))
  for (let pid: number | undefined = process.pid; pid !== undefined && pid > 1; pid = table.get(pid)?.parent) {
    const { session } = table.get(pid) ?? {}
    const run = runs.find(({ identity }) => identity !== null && (identity.pid === pid || identity.pid === session) && livenessOf(identity) !== 'dead')
    const agent = run?.agentId ?? markerOf(pid, world.core.root)
    if (agent !== undefined) return agent
  }
  return undefined
}

/** The agent that a process was started for, by its environment; only Linux tells. */
const markerOf = (pid: number, root: string): string | undefined => {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
    const value = (name: string): string | undefined => environment.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1)
    return value('AISWARM_ROOT') === root ? value('AISWARM_AGENT_ID') : undefined
  } catch {
    return undefined
  }
}
