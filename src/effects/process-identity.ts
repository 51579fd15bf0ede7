import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Liveness, ProcessIdentity } from '../domain/agent.ts'

/** The identity of a running process; undefined when there is none, or it cannot be read. */
export const identify = (pid: number): ProcessIdentity | undefined => {
  const startedAt = startOf(pid)
  const boot = bootId()
  return startedAt !== undefined && startedAt !== 'none' && boot !== undefined ? { pid, startedAt, bootId: boot } : undefined
}

/** Dead only on proof: no such process, a zombie, another start time, or another boot. */
export const livenessOf = (identity: ProcessIdentity): Liveness => {
  const boot = bootId()
  if (boot === undefined) return 'unknown'
  if (boot !== identity.bootId) return 'dead'
  const startedAt = startOf(identity.pid)
  if (startedAt === 'none') return 'dead'
  if (startedAt === undefined) return 'unknown'
  return startedAt === identity.startedAt ? 'alive' : 'dead'
}

let boot: string | undefined

const bootId = (): string | undefined => (boot ??= readBootId())

const readBootId = (): string | undefined => {
  try {
    if (process.platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return execFileSync('sysctl', ['-n', 'kern.boottime'], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}

/** Start time of a process, `none` when there is no such process, undefined when it cannot be told. */
const startOf = (pid: number): string | undefined => (process.platform === 'linux' ? startInProc(pid) : startByPs(pid))

const startInProc = (pid: number): string | undefined => {
  try {
    const fields = statFields(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    // A zombie has ended; only its parent has not yet asked for its status.
    return fields.state === 'Z' || fields.state === 'X' ? 'none' : fields.startTime
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ESRCH' ? 'none' : undefined
  }
}

const startByPs = (pid: number): string | undefined => {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || 'none'
  } catch (error) {
    return (error as { status?: number }).status === 1 ? 'none' : undefined
  }
}

export interface StatFields {
  readonly state: string
  readonly parent: number
  readonly session: number
  /** Clock ticks (100 a second) in user and kernel mode. */
  readonly ticks: number
  readonly startTime: string
  readonly residentPages: number
}

/** The fields of /proc/PID/stat that matter here; the name in parentheses may contain anything. */
export const statFields = (line: string): StatFields => {
  const rest = line.slice(line.lastIndexOf(')') + 2).split(' ')
  return {
    state: rest[0] ?? '?',
    parent: Number(rest[1]),
    session: Number(rest[3]),
    ticks: Number(rest[11]) + Number(rest[12]),
    startTime: rest[19] ?? '',
    residentPages: Number(rest[21]),
  }
}
