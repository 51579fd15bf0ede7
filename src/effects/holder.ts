import { randomUUID } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { identify, livenessOf } from './process-identity.ts'

// Names a process in leases, so that whoever finds the lease can tell whether its holder still lives.

export const newHolder = (): string => {
  const { startedAt = '', bootId = '' } = identify(process.pid) ?? {}
  return [process.pid, startedAt, bootId, namespaceOf('self'), randomUUID()].join('~')
}

/** True only on proof: its process is no more. Of a process in another container nothing can be told. */
export const isDeadHolder = (holder: string): boolean => {
  const [pid = '', startedAt = '', bootId = '', namespace = ''] = holder.split('~')
  if (startedAt === '' || bootId === '' || namespace !== namespaceOf('self')) return false
  return livenessOf({ pid: Number(pid), startedAt, bootId }) === 'dead'
}

const namespaceOf = (pid: string): string => {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`)
  } catch {
    return ''
  }
}
