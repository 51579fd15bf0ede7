import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bothSizes, greetAgents } from '../board.ts'
import { processorTime, withBothSizes } from '../both-sizes.ts'
import type { Row } from '../row.ts'

const SECONDS = 20

/**
 * The memory of the startup is collected by then, which takes half a second of a processor about a minute after it, and
 * the session's files of the large board, which are at least 30 s apart, have been written again after the first events
 * of a start (s).
 */
export const SETTLED = 80

/** Agents that are silent for longer than a minute are offline, so they are heard of this long before the end (s). */
const HEARD = 50

const AGENTS = 50

/** Consoles without input on 50 idle agents: processor, bytes written, memory. */
export const idle = (): Promise<Row> =>
  withBothSizes(
    async (consoles) => {
      await sleep((SETTLED + SECONDS - HEARD) * 1000)
      for (const { root } of consoles) greetAgents(join(root, '.aiswarm'))
      await sleep((HEARD - SECONDS) * 1000)
      const before = consoles.map(({ screen }) => ({
        taken: processorTime(screen.pid),
        bytes: screen.bytes(),
        memory: memoryOf(screen.pid),
      }))
      await sleep(SECONDS * 1000)
      const seen = consoles.map(({ name, screen }, at) => ({
        name,
        share: (processorTime(screen.pid) - before[at]!.taken) / 1000 / SECONDS,
        bytes: (screen.bytes() - before[at]!.bytes) / SECONDS,
        memory: memoryOf(screen.pid),
        early: before[at]!.memory,
      }))
      return {
        what: `idle console, ${AGENTS} idle agents`,
        measured: seen.map(({ name, share, bytes, memory, early }) => [
          name,
          `${(share * 100).toFixed(1)} % of a core, ${bytes.toFixed(0)} bytes/s, RSS ${Math.round(memory)} MB (${Math.round(early)} MB ${SECONDS} s before)`,
        ]),
        target: '≤ 1 %, only the clock, ≤ 150 MB',
        kept: seen.every(({ share, memory }) => share <= 0.01 && memory <= 150),
      }
    },
    bothSizes.map((size) => ({ ...size, agents: AGENTS })),
  )

export const memoryOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
