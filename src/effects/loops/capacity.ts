import { readFileSync, statfsSync, statSync } from 'node:fs'
import { availableParallelism, loadavg, totalmem } from 'node:os'
import { bytes } from '../../domain/words/counts.ts'
import type { World } from '../world.ts'

// Whether this machine, and this program on it, can take another agent.

/** The reason why this process may start nothing now; undefined if it may. */
export const whyHold = (world: Pick<World, 'core' | 'self'>): string | undefined =>
  whyReplaced(world.self) ?? whyDiskIsLow(world.core) ?? whyMemoryIsLow(world.core)

/** A stamp of the program on the disk when this process first asked. */
let began: string | undefined

/**
 * Parts of the program are loaded on demand, and an upgrade deletes the files of the running version: a process started
 * then would fail with a missing module.
 */
const whyReplaced = (self: readonly string[]): string | undefined => {
  const now = stampOf(self.at(-1) ?? '')
  began ??= now
  return now === began ? undefined : 'aiswarm was replaced on disk; restart it'
}

const stampOf = (path: string): string => {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true })
  return stat === undefined ? 'gone' : `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs}`
}

const whyDiskIsLow = ({ root, settings }: World['core']): string | undefined => {
  const { bavail, bsize } = statfsSync(root)
  const free = bavail * bsize
  return free < settings.session.freeDisk ? `only ${bytes(free)} of the disk is free` : undefined
}

const whyMemoryIsLow = ({ settings }: World['core']): string | undefined => {
  const available = availableMemory()
  const { session, limits } = settings
  if (available === undefined || available >= session.freeMemory + (limits.memory ?? 0)) return undefined
  return `only ${bytes(available)} of memory is available`
}

/** Bytes that programs can get without others being swapped out; undefined where the system does not tell. */
const availableMemory = (): number | undefined => {
  try {
    const kilobytes = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1]
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
  } catch {
    return undefined
  }
}

/** How busy this machine is. */
interface MachineLoad {
  /** Programs that run or wait for a processor, for each processor, over the last minute. */
  readonly load: number
  /** The part of its memory that is available (0 to 1); null where the system does not tell. */
  readonly memoryFree: number | null
}

export const loadHere = (): MachineLoad => {
  const available = availableMemory()
  return {
    load: Number(((loadavg()[0] ?? 0) / availableParallelism()).toFixed(2)),
    memoryFree: available === undefined ? null : Number((available / totalmem()).toFixed(3)),
  }
}

/** The part of its memory that a machine keeps available for the agents that it has. */
const KEPT_MEMORY = 0.1

/** The reason why this machine should get nothing new while other hosts can take it; undefined if it may. */
export const whyBraked = (
  { load, memoryFree }: MachineLoad,
  { maxLoad }: Pick<World['core']['settings']['fleet'], 'maxLoad'>,
): string | undefined => {
  if (process.env['AISWARM_MAX_LOAD'] === 'off') return undefined
  if (maxLoad !== null && load > maxLoad)
    return `its load is ${load} for each processor, more than ${maxLoad} (fleet.maxLoad)`
  return memoryFree !== null && memoryFree < KEPT_MEMORY
    ? `only ${Math.floor(memoryFree * 100)}% of its memory is available`
    : undefined
}

/** The memory for which a host counts an agent with its programs (bytes). */
const OF_AN_AGENT = 1.5 * 1024 ** 3

/** How many agents this machine carries, unless a person says otherwise: each needs processors and memory. */
export const roomHere = (cores = availableParallelism(), memory = totalmem()): number =>
  Math.max(1, Math.floor(Math.min(cores / 2, memory / OF_AN_AGENT)))
