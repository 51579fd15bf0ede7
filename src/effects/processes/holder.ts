import { randomUUID } from 'node:crypto'
import { identify, livenessOf } from './identity.ts'

// Names a process in leases, so that a process that finds the lease can tell whether its holder still lives.

export const newHolder = (): string => {
  const { startedAt = '', bootId = '' } = identify(process.pid) ?? {}
  return [process.pid, startedAt, bootId, randomUUID()].join('~')
}

/** True only if the process is proven dead. For a process of another host or pid namespace nothing can be proven. */
export const isDeadHolder = (holder: string): boolean => {
  const [pid = '', startedAt = '', bootId = ''] = holder.split('~')
  // An older aiswarm wrote its namespace separately; its term must expire.
  if (startedAt === '' || !bootId.includes('@')) return false
  return livenessOf({ pid: Number(pid), startedAt, bootId }) === 'dead'
}
