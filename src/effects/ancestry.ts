import { readFileSync } from 'node:fs'
import { countsHere, livenessOf } from './process-identity.ts'
import { type ProcessEntry, readProcessTable } from './process-table.ts'
import { Refusal } from '../domain/refusal.ts'
import type { AgentRun } from '../operations/read-wishes.ts'
import { look } from './look.ts'
import type { World } from './world.ts'

/**
 * Who started this process, if it is no person (`agent backend-1`, `the verification of auth`): an agent that clears its
 * environment, or opens a terminal of its own, is still none, and neither is the code of a branch while its merge is
 * verified. A process that has also left its parents cannot be told.
 */
export const agentAbove = async (world: World): Promise<string | undefined> => starterAbove(world.core.root, (await look(world)).runs)

/** As `agentAbove`, by what is known of runs; with none where the database cannot be read: every shim carries its agent's id. */
export const starterAbove = (root: string, runs: readonly AgentRun[]): string | undefined => {
  const processes = readProcessTable()
  const table = new Map(processes.map((entry) => [entry.pid, entry]))
  for (let pid: number | undefined = process.pid; pid !== undefined && pid > 1; pid = table.get(pid)?.parent) {
    const { session } = table.get(pid) ?? {}
    const run = runs.find(
      ({ identity }) => identity !== null && countsHere(identity.bootId) && (identity.pid === pid || identity.pid === session) && livenessOf(identity) !== 'dead',
    )
    const starter = run ? `agent ${run.agentId}` : (markerOf(pid, root) ?? clientOf(pid, processes, root))
    if (starter !== undefined) return starter
  }
  return undefined
}

/** As `agentAbove`, where the database cannot be asked: by what the environments of this process and of those above it say. */
export const startedBy = (root: string): string | undefined => {
  const processes = readProcessTable()
  const table = new Map(processes.map((entry) => [entry.pid, entry]))
  for (let pid: number | undefined = process.pid; pid !== undefined && pid > 1; pid = table.get(pid)?.parent) {
    const starter = markerOf(pid, root) ?? clientOf(pid, processes, root)
    if (starter !== undefined) return starter
  }
  return undefined
}

/** Refuses an agent where the database, which may be damaged, cannot be asked who calls. `what` is a verb and its object. */
export const refuseBelowAgent = (root: string, what: string): void => {
  const above = starterAbove(root, [])
  if (above !== undefined) throw new Refusal('not_allowed', `${above[0]!.toUpperCase()}${above.slice(1)} may not ${what}; only a person may do it.`)
}

/** What a process was started for, by its environment; only Linux tells. */
const markerOf = (pid: number, root: string): string | undefined => {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
    const value = (name: string): string | undefined => environment.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1)
    const [place, agent, built] = [value('AISWARM_ROOT'), value('AISWARM_AGENT_ID'), value('AISWARM_BUILDS')]
    // Also an agent of another repository: it is not the person of this one.
    if (agent !== undefined && agent !== '') return `agent ${agent}`
    if (place !== root) return undefined
    if (value('AISWARM_VERIFY') !== undefined) return `the verification of ${value('AISWARM_WORKTREE')}`
    return built === undefined ? undefined : `the setup of ${built}`
  } catch {
    return undefined
  }
}

/** The agent that this process is, if it has started an MCP server in the name of one: the server alone may be told. */
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
