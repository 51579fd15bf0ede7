import { person } from '../../src/domain/agent/actor.ts'
import { connect } from '../../src/db/sqlite/database.ts'
import { claimTask } from '../../src/operations/tasks/claims.ts'
import { importTasks } from '../../src/operations/tasks/import.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { registerAgent } from '../../src/operations/agents/spawn.ts'
import { openBenchCore, scratch } from '../bench-core.ts'
import { claimByHand } from '../by-hand.ts'
import { median, type Row } from '../row.ts'

const CLAIMS = 400
const ROUNDS = 5

/** The claim operation compared with the same statements prepared by hand, alternating within one run. */
export const claim = async (): Promise<Row> => {
  const core = await openBenchCore(scratch())
  await perform(core, registerAgent, { id: 'bench', personaId: 'implementer' }, person)
  const tasks = await perform(
    core,
    importTasks,
    Array.from({ length: CLAIMS * ROUNDS * 2 }, (_, i) => ({ title: `task ${i}`, personaId: 'implementer' })),
    person,
  )
  const hand = connect(core.store.path)
  const byHand = claimByHand(hand, 'bench')
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const [ours, theirs] = [
      tasks.slice(2 * round * CLAIMS, (2 * round + 1) * CLAIMS),
      tasks.slice((2 * round + 1) * CLAIMS, (2 * round + 2) * CLAIMS),
    ]
    const began = performance.now()
    for (const task of ours) await perform(core, claimTask, { taskId: task.id, agentId: 'bench' }, person)
    const middle = performance.now()
    for (const task of theirs) byHand(task.id)
    ratios.push((middle - began) / (performance.now() - middle))
  }
  hand.close()
  core.store.close()
  const ratio = median(ratios)
  return {
    what: 'claim operation / the same statements by hand',
    measured: `${ratio.toFixed(2)}×`,
    target: '≤ 3×',
    kept: ratio <= 3,
  }
}
