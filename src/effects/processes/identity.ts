import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import type { Liveness, ProcessIdentity } from '../../domain/agent/agent.ts'
import { statFields } from './table.ts'

/** The identity of a running process; undefined if there is none, or it cannot be read. */
export const identify = (pid: number, system: System = thisSystem): ProcessIdentity | undefined => {
  const startedAt = system.startOf(pid)
  const here = system.place()
  return startedAt !== undefined && startedAt !== 'none' && here !== undefined
    ? { pid, startedAt, bootId: textOf(here) }
    : undefined
}

/**
 * The place in which this process's numbers are valid, as in `ProcessIdentity.bootId`; undefined if the boot is
 * unknown.
 */
export const placeHere = (system: System = thisSystem): string | undefined => {
  const here = system.place()
  return here && textOf(here)
}

/** False if a process number of that place is meaningless here: another host, or another pid namespace of this boot. */
export const countsHere = (bootId: string, system: System = thisSystem): boolean => {
  const [there, here] = [placeIn(bootId), system.place()]
  if (here === undefined || there.host === undefined) return true
  return there.host === here.host && (there.boot !== here.boot || there.namespace === here.namespace)
}

/** True if the process is one of this boot in another pid namespace, so that the kernel of this one runs it. */
export const isInNamespaceOfBoot = (bootId: string, system: System = thisSystem): boolean => {
  const [there, here] = [placeIn(bootId), system.place()]
  return here !== undefined && there.boot === here.boot && there.namespace !== undefined && !countsHere(bootId, system)
}

/**
 * Dead only on proof: no such process, a zombie, another start time, or an earlier boot of this host. Nothing can be
 * proven for a process of another host or another pid namespace (a container has the boot id of its host).
 */
export const livenessOf = (identity: ProcessIdentity, system: System = thisSystem): Liveness => {
  const here = system.place()
  if (here === undefined || !countsHere(identity.bootId, system)) return 'unknown'
  if (placeIn(identity.bootId).boot !== here.boot) return 'dead'
  const startedAt = system.startOf(identity.pid)
  if (startedAt === 'none') return 'dead'
  if (startedAt === undefined) return 'unknown'
  return startedAt === identity.startedAt ? 'alive' : 'dead'
}

const textOf = ({ boot, host, namespace }: Place): string => `${boot}@${host}#${namespace}`

/** An older aiswarm wrote the boot id alone. */
const placeIn = (bootId: string): { readonly boot: string } & Partial<Place> => {
  const [, boot = bootId, host, namespace] = /^([^@]*)@([^#]*)#(.*)$/.exec(bootId) ?? []
  return host === undefined || namespace === undefined ? { boot } : { boot, host, namespace }
}

/** The system's facts about itself and its processes; tests replace it. */
export interface System {
  /** Boot id, host and pid namespace of this process; undefined if the boot is unknown. */
  readonly place: () => Place | undefined
  /** Start time of a process, `none` if there is no such process, undefined if it cannot be read. */
  readonly startOf: (pid: number) => string | undefined
}

/**
 * The scope of a process number: the same number is another process after a boot, on another host and in another pid
 * namespace.
 */
interface Place {
  readonly boot: string
  readonly host: string
  readonly namespace: string
}

let known: Place | undefined

const readPlace = (): Place | undefined => {
  const boot = known?.boot ?? readBootId()
  return boot === undefined ? undefined : (known ??= { boot, host: readHost(), namespace: readNamespace() })
}

const readBootId = (): string | undefined => {
  try {
    if (process.platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return execFileSync('sysctl', ['-n', 'kern.boottime'], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}

/** An id of the installation, which does not change with the host name; otherwise the host name. */
const readHost = (): string => {
  try {
    const id =
      process.platform === 'linux'
        ? readFileSync('/etc/machine-id', 'utf8').trim()
        : (/"IOPlatformUUID" = "([^"]+)"/.exec(
            execFileSync('ioreg', ['-rd1', '-c', 'IOPlatformExpertDevice'], { encoding: 'utf8' }),
          )?.[1] ?? '')
    if (/^[0-9a-fA-F-]{32,}$/.test(id)) return id
  } catch {
    // A container seldom has one and is identified by its host name.
  }
  return hostname().replace(/[^\w.-]/g, '-')
}

const readNamespace = (): string => {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? ''
  } catch {
    return ''
  }
}

const startOf = (pid: number): string | undefined => (process.platform === 'linux' ? startInProc(pid) : startByPs(pid))

const startInProc = (pid: number): string | undefined => {
  try {
    const fields = statFields(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    // A zombie has ended; only its parent has not yet read its status.
    return fields.state === 'Z' || fields.state === 'X' ? 'none' : fields.startTime
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ESRCH' ? 'none' : undefined
  }
}

const startByPs = (pid: number): string | undefined => {
  try {
    // A process that is there has a start time: an answer without one proves nothing.
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined
  } catch (error) {
    return (error as { status?: number }).status === 1 ? 'none' : undefined
  }
}

const thisSystem: System = { place: readPlace, startOf }

/** The user as whom this process and its agents run; a container may have one without a name. */
export const userHere = (): string => {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? 'without a name'}`
  }
}
