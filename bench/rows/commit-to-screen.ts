import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { person } from '../../src/domain/actor.ts'
import { perform } from '../../src/operations/kernel/perform.ts'
import { createTask } from '../../src/operations/create-task.ts'
import { openBenchCore } from '../bench-core.ts'
import { fullSize } from '../board.ts'
import { makeRepository, program } from '../repository.ts'
import { ms, quantile, type Row } from '../row.ts'
import { openScreen } from '../screen.ts'

const COMMITS = 60

/** Another process commits; until its change is on the screen. */
export const commitToScreen = async (): Promise<Row> => {
  const root = await makeRepository(fullSize)
  const screen = openScreen([process.execPath, program], { columns: 200, rows: 50, cwd: root })
  await screen.until((text) => text.includes('Task number'))
  const core = await openBenchCore(join(root, '.aiswarm'))
  const times: number[] = []
  for (let n = 0; n < COMMITS; n++) {
    const before = totalIn(screen.text())
    await sleep(20 + Math.random() * 100)
    await perform(core, createTask, { title: `added ${n}`, personaId: 'implementer' }, person)
    times.push(await screen.until((text) => totalIn(text) > before, performance.now()))
  }
  core.store.close()
  await screen.end()
  const p99 = quantile(times, 0.99)
  return { what: 'another process commits → it is on the screen', measured: `p50 ${ms(quantile(times, 0.5))}, p99 ${ms(p99)}`, target: 'p99 ≤ 200 ms', kept: p99 <= 200 }
}

/** The second number of the header's `tasks ███░ 12/18`. */
const totalIn = (text: string): number => Number(/tasks\s+\S+\s+\d+\/(\d+)/.exec(text)?.[1] ?? 0)
