import { randomUUID } from 'node:crypto'
import { identify, livenessOf } from './identity.ts'

// Names a process in leases, so that a process that finds the lease can tell whether its holder still lives.

/** The name of this process; `host` is the one that it is of, where a board has several. */
export const newHolder = (host?: string | null): string => {
  const { startedAt = '', bootId = '' } = identify(process.pid) ?? {}
  return [process.pid, startedAt, bootId, randomUUID(), ...(typeof host === 'string' ? [host] : [])].join('~')
}

/**
 * True only if the process is proven dead. For a process of another host or pid namespace nothing can be proven: machines
 * that were copied from one another have the same id, so where a board has several hosts, only one of `host` is judged.
 */
export const isDeadHolder = (holder: string, host?: string | null): boolean => {
  const [pid = '', startedAt = '', bootId = '', , of] = holder.split('~')
  if (host !== undefined && (host === null || of !== host)) return false
  // An older aiswarm wrote its namespace separately; its term must expire.
  if (startedAt === '' || !bootId.includes('@')) return false
  return livenessOf({ pid: Number(pid), startedAt, bootId }) === 'dead'
}
