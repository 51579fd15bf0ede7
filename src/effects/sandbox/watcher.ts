import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ProcessEntry, readProcessTable } from '../processes/table.ts'
import type { Watched } from './entry.ts'

// Limits without cgroups: the parent of a sandbox adds up what its processes use, and ends all of them when that is too
// much. Their first process is the kernel's handle on all the others.

/** The time between two looks (ms). Memory grows by about a gigabyte in it, and a fork bomb by some thousand processes. */
const EVERY = 250

/**
 * Watches the processes below `pid` and calls `end` once when they use too much. Returns a function that stops it, with
 * the exit code that they came to.
 */
export const watchLimits = (
  pid: number,
  { limits, record, cgroup }: Watched,
  end: () => void,
): ((code: number) => void) => {
  const timer = setInterval(() => {
    const reached = reachedBy(pid, limits, cgroup)
    if (reached === undefined) return
    clearInterval(timer)
    writeFileSync(record, reached, { mode: 0o600 })
    end()
  }, EVERY)
  return (code) => {
    clearInterval(timer)
    const { processes } = limits
    if (code !== 0 && processes !== null && cgroup !== undefined && wasRefused(cgroup) && !existsSync(record))
      writeFileSync(record, `processes ${processes}\n`, { mode: 0o600 })
  }
}

const reachedBy = (
  pid: number,
  { memory, processes }: Watched['limits'],
  cgroup: string | undefined,
): string | undefined => {
  const below = descendantsOf(pid)
  // The kernel refuses more than the limit, so that it is reached and never exceeded.
  const count = (cgroup === undefined ? undefined : countIn(cgroup)) ?? below.length
  if (processes !== null && count >= processes) return `processes ${processes}\n`
  if (memory === null) return undefined
  // Pages that processes share count several times here, so that the sum is only a reason to look closer.
  const atMost = below.reduce((sum, one) => sum + one.memory, 0)
  return atMost > memory && below.reduce((sum, one) => sum + ownMemory(one), 0) > memory
    ? `memory ${memory}\n`
    : undefined
}

/** Whether the kernel has refused it a process. */
const wasRefused = (cgroup: string): boolean => {
  try {
    return /^max [1-9]/m.test(readFileSync(join(cgroup, 'pids.events'), 'utf8'))
  } catch {
    return false
  }
}

const countIn = (cgroup: string): number | undefined => {
  try {
    return Number(readFileSync(join(cgroup, 'pids.current'), 'utf8'))
  } catch {
    return undefined
  }
}

type Entry = Pick<ProcessEntry, 'pid' | 'memory'>

const descendantsOf = (pid: number): readonly Entry[] => {
  const children = Map.groupBy(readProcessTable(), ({ parent }) => parent)
  const found: Entry[] = []
  for (let level = [pid]; level.length > 0;) {
    const next = level.flatMap((parent) => children.get(parent) ?? []).filter(({ zombie }) => !zombie)
    found.push(...next)
    level = next.map((one) => one.pid)
  }
  return found
}

/**
 * Its share of anonymous and shared memory (bytes); pages that several processes have count in parts. A process that hides
 * that counts with all it has.
 */
const ownMemory = ({ pid, memory }: Entry): number => {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    const of = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0)
    return 1024 * (of('Pss_Anon') + of('Pss_Shmem'))
  } catch {
    return memory
  }
}
