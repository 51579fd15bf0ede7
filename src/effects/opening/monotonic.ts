import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import type { Tick } from '../../domain/words/time.ts'

/**
 * The monotonic clock of this boot, shared by all processes of the machine. On Linux it is CLOCK_MONOTONIC, not
 * CLOCK_BOOTTIME: it stops while the machine is suspended, as the agents do, so that closing the lid ends no lease.
 */
export const monotonic = (): Tick => ({ boot: (boot ??= bootOf()), ms: Number(process.hrtime.bigint() / 1_000_000n) })

let boot: string | undefined

/** The identity of that clock, because a time namespace has its own. If it is unknown, no other process shares it. */
const bootOf = (): string => {
  try {
    if (process.platform === 'darwin')
      return execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim()
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/time')}`
  } catch {
    return randomUUID()
  }
}
