import { join } from 'node:path'
import { person } from '../../src/domain/agent/actor.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { readBoard } from '../../src/operations/screens/board.ts'
import { openBenchCore, scratch } from '../bench-core.ts'
import { bothSizes, fullSize, makeBoard } from '../board.ts'
import { repositoryOf } from '../repository.ts'
import { median, ms, type Row } from '../row.ts'

const READS = 60

/** One refresh of the screen's rows at both sizes compared with a board of 1,000 tasks, alternating. */
export const refresh = async (): Promise<Row> => {
  const small = scratch()
  await makeBoard(small, { ...fullSize, tasks: 1000, logs: 1000 })
  const boards = [{ tasks: 1000, core: await openBenchCore(small), times: [] as number[] }]
  for (const size of bothSizes)
    boards.push({ tasks: size.tasks, core: await openBenchCore(join(await repositoryOf(size), '.aiswarm')), times: [] })
  for (let n = 0; n < READS; n++) {
    for (const { tasks, core, times } of boards) {
      const began = performance.now()
      await perform(core, readBoard, { around: tasks / 2 }, person)
      times.push(performance.now() - began)
    }
  }
  for (const { core } of boards) core.store.close()
  const ratios = boards.map(({ times }) => median(times) / median(boards[0]!.times))
  return {
    what: 'refresh of the board, against 1,000 tasks',
    measured: boards
      .slice(1)
      .map(({ tasks, times }, at) => [
        `${tasks.toLocaleString('en')} tasks`,
        `${ratios[at + 1]!.toFixed(2)}× (${ms(median(times))} / ${ms(median(boards[0]!.times))})`,
      ]),
    target: '≤ 1.5×',
    kept: ratios.every((ratio) => ratio <= 1.5),
  }
}
