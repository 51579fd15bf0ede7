import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'

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
export interface Place {
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
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || 'none'
  } catch (error) {
    return (error as { status?: number }).status === 1 ? 'none' : undefined
  }
}

export const thisSystem: System = { place: readPlace, startOf }

export interface StatFields {
  readonly state: string
  readonly parent: number
  readonly session: number
  /** The device number of the controlling terminal; 0 for none. */
  readonly terminal: number
  /** CPU time in user and kernel mode, in clock ticks (100 per second). */
  readonly ticks: number
  readonly startTime: string
  readonly residentPages: number
}

/** The relevant fields of /proc/PID/stat; the name in parentheses may contain any character. */
export const statFields = (line: string): StatFields => {
  const rest = line.slice(line.lastIndexOf(')') + 2).split(' ')
  return {
    state: rest[0] ?? '?',
    parent: Number(rest[1]),
    session: Number(rest[3]),
    terminal: Number(rest[4]),
    ticks: Number(rest[11]) + Number(rest[12]),
    startTime: rest[19] ?? '',
    residentPages: Number(rest[21]),
  }
}

/** The user as whom this process and its agents run; a container may have one without a name. */
export const userHere = (): string => {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? 'without a name'}`
  }
}
