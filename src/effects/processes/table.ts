import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessEntry {
  readonly pid: number
  /** True if it has ended and its parent has not read its status yet. */
  readonly zombie: boolean
  readonly parent: number
  readonly session: number
  /** The start time as in `ProcessIdentity`; only on Linux. */
  readonly startedAt?: string
  /** True if it has a controlling terminal; only on Linux. */
  readonly terminal?: boolean
  /** CPU time so far, in seconds. */
  readonly seconds: number
  /** Resident bytes. */
  readonly memory: number
}

/** Every process of the system, by one pass over /proc or one call of ps. */
export const readProcessTable = (): readonly ProcessEntry[] => (process.platform === 'linux' ? readProc() : readPs())

/**
 * True while a process runs in the session that `pid` began; the system does not reuse the number of a session in use.
 */
export const sessionRuns = (pid: number): boolean =>
  readProcessTable().some((entry) => (entry.session === pid || entry.pid === pid) && !entry.zombie)

/** A process with all descendants and everything else in its session. */
export const familyOf = (pid: number, table: readonly ProcessEntry[]): readonly ProcessEntry[] => {
  const family = new Set(table.filter((entry) => entry.pid === pid || entry.session === pid).map((entry) => entry.pid))
  for (let grew = true; grew;) {
    grew = false
    for (const entry of table) {
      if (family.has(entry.parent) && !family.has(entry.pid)) {
        family.add(entry.pid)
        grew = true
      }
    }
  }
  return table.filter((entry) => family.has(entry.pid))
}

/** Processes whose environment contains all of these markers; only on Linux. */
export const processesMarked = (markers: Readonly<Record<string, string>>): readonly number[] =>
  process.platform === 'linux' ? pids().filter((pid) => pid !== process.pid && isMarked(pid, markers)) : []

/** True if a process carries all of these markers; also where the system does not show environments. */
export const isMarked = (pid: number, markers: Readonly<Record<string, string>>): boolean => {
  if (process.platform !== 'linux') return true
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
    return Object.entries(markers).every(([name, value]) => environment.includes(`${name}=${value}`))
  } catch {
    return false
  }
}

const PAGE = 4096
const TICKS_A_SECOND = 100

const pids = (): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

const readProc = (): readonly ProcessEntry[] =>
  pids().flatMap((pid) => {
    try {
      const { state, parent, session, terminal, ticks, startTime, residentPages } = statFields(
        readFileSync(`/proc/${pid}/stat`, 'utf8'),
      )
      return [
        {
          pid,
          zombie: state === 'Z',
          parent,
          session,
          startedAt: startTime,
          terminal: terminal !== 0,
          seconds: ticks / TICKS_A_SECOND,
          memory: residentPages * PAGE,
        },
      ]
    } catch {
      return []
    }
  })

/** The most that ps prints; more would be an error, never a shorter table (bytes). */
const LONGEST = 64 * 1024 ** 2

const readPs = (): readonly ProcessEntry[] =>
  execFileSync('ps', ['-A', '-o', 'pid=,stat=,ppid=,sess=,rss=,time='], { encoding: 'utf8', maxBuffer: LONGEST })
    .split('\n')
    .flatMap((line) => {
      const [pid, state, parent, session, kilobytes, time] = line.trim().split(/\s+/)
      if (pid === undefined || time === undefined) return []
      const seconds = time.split(/[:-]/).reduce((sum, part) => sum * 60 + Number(part), 0)
      return [
        {
          pid: Number(pid),
          zombie: state?.startsWith('Z') ?? false,
          parent: Number(parent),
          session: Number(session),
          seconds,
          memory: Number(kilobytes) * 1024,
        },
      ]
    })

interface StatFields {
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
