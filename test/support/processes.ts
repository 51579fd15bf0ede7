import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { processesMarked } from '../../src/effects/processes/table.ts'

// The processes of a repository: which there are, and their end.

/** The variables of a process. */
export const environmentOf = (pid: number): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .slice(0, -1)
      .map((line) => {
        const at = line.indexOf('=')
        return [line.slice(0, at), line.slice(at + 1)]
      }),
  )

/** The processes of agents of a clone: shims, relays and programs. */
export const agentsOf = (root: string): readonly number[] =>
  readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const { AISWARM_AGENT_ID: id, AISWARM_ROOT: of } = environmentOf(Number(name))
      return id !== undefined && of === root ? [Number(name)] : []
    } catch {
      return []
    }
  })

/**
 * Kills every process that works for a repository, including processes that another one has started meanwhile, and
 * waits until they are gone.
 */
export const endProcessesOf = async (root: string): Promise<void> => {
  for (
    let left = processesMarked({ AISWARM_ROOT: root });
    left.length > 0;
    left = processesMarked({ AISWARM_ROOT: root })
  ) {
    for (const pid of left) endProcess(pid)
    await sleep(5)
  }
}

/** Kills a process that may have ended by itself meanwhile. */
export const endProcess = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
