import { setTimeout as sleep } from 'node:timers/promises'
import { fullSize } from '../board.ts'
import { makeRepository, program } from '../repository.ts'
import { ms, quantile, type Row } from '../row.ts'
import { openScreen } from '../screen.ts'

const PRESSES = 300

/** A key written to the terminal until the frame that answers it comes back, on the full board. */
export const keyToFrame = async (): Promise<Row> => {
  const root = await makeRepository(fullSize)
  const screen = openScreen([process.execPath, program], { columns: 200, rows: 50, cwd: root })
  await screen.until((text) => text.includes('Task number'))
  await sleep(1000)
  const times: number[] = []
  for (let n = 0; n < PRESSES; n++) {
    times.push(await screen.answer(n % 40 < 20 ? 'j' : 'k'))
    await sleep(30)
  }
  await screen.end()
  const p99 = quantile(times, 0.99)
  return { what: 'key pressed → frame written, 200×50', measured: `p50 ${ms(quantile(times, 0.5))}, p99 ${ms(p99)}`, target: 'p99 ≤ 16 ms', kept: p99 <= 16 }
}
