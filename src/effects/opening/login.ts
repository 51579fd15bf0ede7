import { readFileSync } from 'node:fs'
import { wishesOf } from '../wishes.ts'
import { countsHere } from '../processes/identity.ts'
import { type ProcessEntry, readProcessTable } from '../processes/table.ts'
import type { World } from '../world.ts'

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
