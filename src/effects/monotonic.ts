import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import type { Tick } from '../domain/time.ts'

/**
 * The monotonic clock of this boot, the same for every process of the machine. On Linux it is CLOCK_MONOTONIC, not
 * CLOCK_BOOTTIME: it stands still while the machine is suspended, as the agents do, so a closed lid ends no lease.
 */
export const monotonic = (): Tick => ({ boot: (boot ??= bootOf()), ms: Number(process.hrtime.bigint() / 1_000_000n) })

let boot: string | undefined

/** Which count of that clock this is: a time namespace has its own. Where it cannot be told, no other process shares it. */
const bootOf = (): string => {
  try {
    if (process.platform === 'darwin') return execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim()
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/time')}`
  } catch {
    return randomUUID()
  }
}
