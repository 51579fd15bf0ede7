import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { person } from '../../src/domain/agent/actor.ts'
import { createTask } from '../../src/operations/tasks/create.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { bareProgram } from '../bare-program.ts'
import { openBenchCore } from '../bench-core.ts'
import { withBothSizes } from '../both-sizes.ts'
import { middleAndWorst, quantile, type Row } from '../row.ts'
import { openScreen } from '../screen.ts'

const COMMITS = 40

/**
 * Another process commits; measured until its change is on the screen, at both sizes, alternating. The reference is a
 * program that polls as often, counts the tasks and draws one line.
 */
export const commitToScreen = (): Promise<Row> =>
  withBothSizes(async (consoles) => {
    const boards = await Promise.all(
      consoles.map(async (one) => ({
        ...one,
        core: await openBenchCore(join(one.root, '.aiswarm')),
        times: [] as number[],
      })),
    )
    const { root, core } = boards[0]!
    const bare = openScreen(
      [process.execPath, await bareProgram('bare-watch'), join(root, '.aiswarm', 'coordination.db')],
      { columns: 200, rows: 50, cwd: root },
    )
    const reference = { core, screen: bare, times: [] as number[] }
    try {
      await bare.until((text) => totalIn(text) > 0)
      for (let n = 0; n < COMMITS; n++) {
        for (const { core, screen, times } of [reference, ...boards]) {
          const before = totalIn(screen.text())
          await sleep(20 + Math.random() * 100)
          await perform(core, createTask, { title: `added ${n}`, personaId: 'implementer' }, person)
          times.push(await screen.until((text) => totalIn(text) > before, performance.now()))
          // The other screen of that board shows it too.
          await sleep(150)
        }
      }
    } finally {
      await bare.end()
    }
    for (const { core } of boards) core.store.close()
    const ratio = (times: readonly number[], q: number): number => quantile(times, q) / quantile(reference.times, q)
    return {
      what: `another process commits → it is on the screen / a bare poll, count and line of Ink (${middleAndWorst(reference.times)})`,
      measured: boards.map(({ name, times }) => [
        name,
        `p50 ${ratio(times, 0.5).toFixed(2)}×, p99 ${ratio(times, 0.99).toFixed(2)}× (${middleAndWorst(times)})`,
      ]),
      target: 'p50 and p99 ≤ 2×',
      kept: boards.every(({ times }) => ratio(times, 0.5) <= 2 && ratio(times, 0.99) <= 2),
    }
  })

/** The second number of the header's `tasks ███░ 12/18`. */
const totalIn = (text: string): number => Number(/tasks\s+\S+\s+\d+\/(\d+)/.exec(text)?.[1] ?? 0)
