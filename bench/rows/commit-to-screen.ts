import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { person } from '../../src/domain/agent/actor.ts'
import { createTask } from '../../src/operations/tasks/create-task.ts'
import { perform } from '../../src/operations/door/perform.ts'
import { openBenchCore } from '../bench-core.ts'
import { withBothSizes } from '../both-sizes.ts'
import { middleAndWorst, quantile, type Row } from '../row.ts'

const COMMITS = 60

/** Another process commits; measured until its change is on the screen. At both sizes, alternating. */
export const commitToScreen = (): Promise<Row> =>
  withBothSizes(async (consoles) => {
    const boards = await Promise.all(consoles.map(async (one) => ({ ...one, core: await openBenchCore(join(one.root, '.aiswarm')), times: [] as number[] })))
    for (let n = 0; n < COMMITS; n++) {
      for (const { core, screen, times } of boards) {
        const before = totalIn(screen.text())
        await sleep(20 + Math.random() * 100)
        await perform(core, createTask, { title: `added ${n}`, personaId: 'implementer' }, person)
        times.push(await screen.until((text) => totalIn(text) > before, performance.now()))
      }
    }
    for (const { core } of boards) core.store.close()
    return {
      what: 'another process commits → it is on the screen',
      measured: boards.map(({ name, times }) => [name, middleAndWorst(times)]),
      target: 'p99 ≤ 200 ms',
      kept: boards.every(({ times }) => quantile(times, 0.99) <= 200),
    }
  })

/** The second number of the header's `tasks ███░ 12/18`. */
const totalIn = (text: string): number => Number(/tasks\s+\S+\s+\d+\/(\d+)/.exec(text)?.[1] ?? 0)
