import { readFileSync } from 'node:fs'
import { countsHere, livenessOf } from '../processes/identity.ts'
import { type ProcessEntry, readProcessTable } from '../processes/table.ts'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { wishesOf } from '../wishes.ts'
import type { World } from '../world.ts'

/**
 * The starter of this process if it is not a person (`agent backend-1`, `the verification of auth`): an agent that
 * clears its environment or opens its own terminal is still an agent, and so is a branch's code during the verification
 * of its merge. A process that has also left its parents cannot be recognised.
 */
export const agentAbove = async (world: World): Promise<string | undefined> =>
  starterAbove(world.core.root, (await wishesOf(world)).runs)

/**
 * As `agentAbove`, from known runs; without runs, when the database cannot be read, it uses the agent id in every
 * shim's arguments.
 */
export const starterAbove = (root: string, runs: readonly AgentRun[]): string | undefined => {
  const processes = readProcessTable()
  const table = new Map(processes.map((entry) => [entry.pid, entry]))
  for (let pid: number | undefined = process.pid; pid !== undefined && pid > 1; pid = table.get(pid)?.parent) {
    const { session } = table.get(pid) ?? {}
    const run = runs.find(
      ({ identity }) =>
        identity !== null &&
        countsHere(identity.bootId) &&
        (identity.pid === pid || identity.pid === session) &&
        livenessOf(identity) !== 'dead',
    )
    const starter = run ? `agent ${run.agentId}` : (markerOf(pid, root) ?? clientOf(pid, processes, root))
    if (starter !== undefined) return starter
  }
  return undefined
}

/**
 * Refuses an agent when the caller cannot be looked up because the database may be damaged. `what` is a verb and its
 * object.
 */
export const refuseBelowAgent = (root: string, what: string): void => {
  const above = starterAbove(root, [])
  if (above !== undefined)
    throw new Refusal(
      'not_allowed',
      `${above[0]!.toUpperCase()}${above.slice(1)} may not ${what}; only a person may do it.`,
    )
}

/** The purpose of a process by its environment, which only Linux shows. */
const markerOf = (pid: number, root: string): string | undefined => {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
    const value = (name: string): string | undefined =>
      environment.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1)
    const [place, agent, built] = [value('AISWARM_ROOT'), value('AISWARM_AGENT_ID'), value('AISWARM_BUILDS')]
    // An agent of another repository is not the person of this one either.
    if (agent !== undefined && agent !== '') return `agent ${agent}`
    if (place !== root) return undefined
    if (value('AISWARM_VERIFY') !== undefined) return `the verification of ${value('AISWARM_WORKTREE')}`
    return built === undefined ? undefined : `the setup of ${built}`
  } catch {
    return undefined
  }
}

/** The agent of this process if it has started an MCP server for one: only the server may have the token. */
const clientOf = (pid: number, processes: readonly ProcessEntry[], root: string): string | undefined =>
  processes
    .filter(({ pid: child, parent }) => parent === pid && isServer(child))
    .map(({ pid: child }) => markerOf(child, root))
    .find((starter) => starter?.startsWith('agent '))

const isServer = (pid: number): boolean => {
  try {
    return /(?:^|[\0 ])mcp(?:[\0 ]|$)/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
  } catch {
    return false
  }
}
