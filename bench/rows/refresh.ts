import { person } from '../../src/domain/actor.ts'
import { perform } from '../../src/operations/kernel/perform.ts'
import { readBoard } from '../../src/operations/read-board.ts'
import { openBenchCore, scratch } from '../bench-core.ts'
import { makeBoard } from '../board.ts'
import { median, ms, type Row } from '../row.ts'

const READS = 60

/** One refresh of the screen's rows on a large board against a small one, in turns. */
export const refresh = async (): Promise<Row> => {
  const [small, large] = [scratch(), scratch()]
  await makeBoard(small, { tasks: 1000, agents: 50, logs: 1000 })
  await makeBoard(large, { tasks: 100_000, agents: 50, logs: 1000 })
  const [ofSmall, ofLarge] = [await openBenchCore(small), await openBenchCore(large)]
  const [forSmall, forLarge]: [number[], number[]] = [[], []]
  for (let n = 0; n < READS; n++) {
    for (const [core, times, around] of [
      [ofSmall, forSmall, 500],
      [ofLarge, forLarge, 50_000],
    ] as const) {
      const began = performance.now()
      await perform(core, readBoard, { around }, person)
      times.push(performance.now() - began)
    }
  }
  ofSmall.store.close()
  ofLarge.store.close()
  const ratio = median(forLarge) / median(forSmall)
  return { what: 'refresh at 100,000 tasks / at 1,000', measured: `${ratio.toFixed(2)}× (${ms(median(forLarge))} / ${ms(median(forSmall))})`, target: '≤ 1.5×', kept: ratio <= 1.5 }
}
