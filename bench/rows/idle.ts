import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fullSize } from '../board.ts'
import { makeRepository, program } from '../repository.ts'
import type { Row } from '../row.ts'
import { openScreen } from '../screen.ts'

const SECONDS = 20

/** The console left alone with 50 idle agents: processor, bytes written, memory. */
export const idle = async (): Promise<Row> => {
  const root = await makeRepository(fullSize)
  const screen = openScreen([process.execPath, program], { columns: 200, rows: 50, cwd: root })
  await screen.until((text) => text.includes('Task number'))
  await sleep(5000)
  const [ticks, bytes, early] = [ticksOf(screen.pid), screen.bytes(), memoryOf(screen.pid)]
  await sleep(SECONDS * 1000)
  const share = (ticksOf(screen.pid) - ticks) / 100 / SECONDS
  const written = (screen.bytes() - bytes) / SECONDS
  const memory = memoryOf(screen.pid)
  await screen.end()
  const measured = `${(share * 100).toFixed(1)} % of a core, ${written.toFixed(0)} bytes/s, RSS ${Math.round(memory)} MB (${Math.round(early)} MB ${SECONDS} s before)`
  return { what: 'idle console, 50 idle agents', measured, target: '≤ 1 %, only the clock, ≤ 150 MB', kept: share <= 0.01 && memory <= 150 }
}

/** Processor time in hundredths of a second; Linux only. */
const ticksOf = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return Number(fields[11]) + Number(fields[12])
}

const memoryOf = (pid: number): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
