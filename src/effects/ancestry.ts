import { readFileSync } from 'node:fs'
import { livenessOf } from './process-identity.ts'
import { readProcessTable } from './process-table.ts'
import { look } from './look.ts'
import type { World } from './world.ts'

/**
 * Who started this process, if it is no person (`agent backend-1`, `the verification of auth`): an agent that clears its
 * environment, or opens a terminal of its own, is still none, and neither is the code of a branch while its merge is
 * verified. A process that has also left its parents cannot be told.
 */
export const agentAbove = async (world: World): Promise<string | undefined> => {
  const { runs } = await look(world)
  const table = new Map(readProcessTable().map((entry) => [entry.pid, entry]))
  for (let pid: number | undefined = process.pid; pid !== undefined && pid > 1; pid = table.get(pid)?.parent) {
    const { session } = table.get(pid) ?? {}
    const run = runs.find(({ identity }) => identity !== null && (identity.pid === pid || identity.pid === session) && livenessOf(identity) !== 'dead')
    const starter = run ? `agent ${run.agentId}` : markerOf(pid, world.core.root)
    if (starter !== undefined) return starter
  }
  return undefined
}

/** What a process was started for, by its environment; only Linux tells. */
const markerOf = (pid: number, root: string): string | undefined => {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
    const value = (name: string): string | undefined => environment.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1)
    if (value('AISWARM_ROOT') !== root) return undefined
    const [agent, built] = [value('AISWARM_AGENT_ID'), value('AISWARM_BUILDS')]
    if (agent !== undefined) return `agent ${agent}`
    if (value('AISWARM_VERIFY') !== undefined) return `the verification of ${value('AISWARM_WORKTREE')}`
    return built === undefined ? undefined : `the setup of ${built}`
  } catch {
    return undefined
  }
}
