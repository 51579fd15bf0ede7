import { setTimeout as sleep } from 'node:timers/promises'
import { processesMarked } from '../../src/effects/processes/table.ts'

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
