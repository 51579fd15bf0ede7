import { randomUUID } from 'node:crypto'
import { identify, livenessOf } from './process-identity.ts'

// Names a process in leases, so that a process that finds the lease can tell whether its holder still lives.

export const newHolder = (): string => {
  const { startedAt = '', bootId = '' } = identify(process.pid) ?? {}
  return [process.pid, startedAt, bootId, randomUUID()].join('~')
}

/** True only on proof: its process is no more. Of a process of another host or pid namespace nothing can be told. */
export const isDeadHolder = (holder: string): boolean => {
  const [pid = '', startedAt = '', bootId = ''] = holder.split('~')
  // An older aiswarm wrote its namespace apart; its term is waited for.
  if (startedAt === '' || !bootId.includes('@')) return false
  return livenessOf({ pid: Number(pid), startedAt, bootId }) === 'dead'
}
