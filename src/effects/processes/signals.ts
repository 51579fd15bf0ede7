import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessIdentity } from '../../domain/agent/agent.ts'
import { livenessOf } from './identity.ts'
import { processesMarked, sessionRuns } from './table.ts'

// The only place that signals processes.

/**
 * Kills a session: TERM to the group, `grace` ms for all of it, then KILL. The identity of its leader is checked before
 * each signal, so that a process that reuses the number is never signalled. True if no process of it remains.
 */
export const endGroup = async (identity: ProcessIdentity, grace: number): Promise<boolean> => {
  const liveness = livenessOf(identity)
  if (liveness !== 'alive') return liveness === 'dead'
  signalGroup(identity.pid, 'SIGTERM')
  // A stopped process cannot handle signals: with TERM pending, it continues only to its end.
  signalGroup(identity.pid, 'SIGCONT')
  const quiet = (): boolean => !sessionRuns(identity.pid)
  if (await comesTrue(quiet, grace)) return true
  // Its leader may have ended meanwhile, but while a member runs the system does not reuse the number of the group.
  signalGroup(identity.pid, 'SIGKILL')
  return comesTrue(quiet, 2000)
}

/** Stops or continues a session's processes; never those of another session that reuses its number. True if it runs. */
export const signalIfAlive = (identity: ProcessIdentity, name: 'SIGSTOP' | 'SIGCONT'): boolean => {
  if (livenessOf(identity) !== 'alive') return false
  signalGroup(identity.pid, name)
  return true
}

/**
 * Kills single processes that have left their group, each identified by its marker, and those that they start
 * meanwhile; waits until none is left.
 */
export const endMarked = async (markers: Readonly<Record<string, string>>): Promise<void> => {
  const noneLeft = (): boolean => {
    const left = processesMarked(markers)
    for (const pid of left) signal(pid, 'SIGKILL')
    return left.length === 0
  }
  await comesTrue(noneLeft, 2000)
}

/** Kills a single process: TERM, `grace` ms, KILL; never one that reuses its number. True if it has ended. */
export const endProcess = async (identity: ProcessIdentity, grace: number): Promise<boolean> => {
  const ended = (): boolean => livenessOf(identity) === 'dead'
  for (const [name, within] of [
    ['SIGTERM', grace],
    ['SIGKILL', 2000],
  ] as const) {
    if (livenessOf(identity) === 'alive') {
      signal(identity.pid, name)
      signal(identity.pid, 'SIGCONT')
    }
    if (await comesTrue(ended, within)) return true
  }
  return false
}

export const comesTrue = async (condition: () => boolean, within: number): Promise<boolean> => {
  for (const until = performance.now() + within; !condition(); await sleep(30))
    if (performance.now() >= until) return false
  return true
}

export const signalGroup = (pid: number | undefined, name: NodeJS.Signals): void => {
  if (pid !== undefined && pid > 1) signal(-pid, name)
}

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name)
  } catch (error) {
    // The process has already ended, which was the aim.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
