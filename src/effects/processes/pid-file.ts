import { existsSync, readFileSync } from 'node:fs'

// The file in which the shim of a run writes its pid, or a stopper writes that the run must not start.

export const readPid = (pidFile: string): number | undefined => {
  try {
    const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10)
    return Number.isInteger(pid) && pid > 1 ? pid : undefined
  } catch {
    return undefined
  }
}

/** True if a stopper claimed the run before any process could. */
export const isVoid = (pidFile: string): boolean =>
  existsSync(pidFile) && readFileSync(pidFile, 'utf8').startsWith('void')
