import { readFileSync } from 'node:fs'
import { Refusal } from '../../domain/rules/refusal.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { countsHere, livenessOf } from '../processes/identity.ts'
import { type ProcessEntry, readProcessTable } from '../processes/table.ts'
import { wishesOf } from '../wishes.ts'
import type { World } from '../world.ts'

// Who started this process: an agent above it, or a person whose login is older than the agents.

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

// An agent can leave its parents, clear its environment and open a terminal with `script`: then no ancestor identifies
// it. Therefore an approval at a terminal must come from a login that is older than the agents.

/**
 * The reason why the terminal of this process may be an agent's; undefined if a person has logged in there, or if the
 * system does not tell.
 */
export const whyNoLogin = async (world: World): Promise<string | undefined> => {
  const begun = (await wishesOf(world)).runs.flatMap(({ process, identity }) =>
    process === 'started' &&
    identity !== null &&
    countsHere(identity.bootId) &&
    Number.isFinite(Number(identity.startedAt))
      ? [Number(identity.startedAt)]
      : [],
  )
  return whyNotBefore(process.pid, readProcessTable(), begun)
}

/**
 * As `whyNoLogin` for a process: `begun` are the start times of live agents, in clock ticks. A process whose parents
 * have ended is a child of the first process or of a manager of user services, so those prove no login.
 */
export const whyNotBefore = (
  pid: number,
  processes: readonly ProcessEntry[],
  begun: readonly number[],
  nameOf = commOf,
): string | undefined => {
  const table = new Map(processes.map((entry) => [entry.pid, entry]))
  const own = table.get(pid)
  // Only Linux has start times here.
  if (own?.startedAt === undefined) return undefined
  if (own.terminal !== true) return 'it has no controlling terminal'
  if (begun.length === 0) return undefined
  const first = Math.min(...begun)
  const seen = new Set<number>()
  for (let at = table.get(own.session); at !== undefined && !seen.has(at.pid); at = table.get(at.parent)) {
    seen.add(at.pid)
    // A container's shell comes from outside of it, where no agent runs: it has no parent here, or is the first process
    // itself.
    if (at.parent === 0) return at.pid === 1 && seen.size > 1 ? NO_LOGIN : undefined
    if (Number(at.startedAt) < first && at.pid !== 1 && !adopts.test(nameOf(at.pid))) return undefined
  }
  return NO_LOGIN
}

const NO_LOGIN = 'its terminal was opened while agents were running, and by no process older than them'

/** Processes that adopt the children of ended processes. */
const adopts = /^(?:systemd|init|launchd|tini|dumb-init|s6-svscan|runit|containerd-shim.*)$/

const commOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return ''
  }
}
