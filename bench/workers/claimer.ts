import { setTimeout as sleep } from 'node:timers/promises'
import { person } from '../../src/domain/agent/actor.ts'
import { isRefusal } from '../../src/domain/rules/refusal.ts'
import { claimTask } from '../../src/operations/tasks/claim-task.ts'
import { completeTask } from '../../src/operations/tasks/complete-task.ts'
import { perform } from '../../src/operations/door/perform.ts'
import { openBenchCore } from '../bench-core.ts'
import type { WorkerReport } from '../rows/contention.ts'

// One of many processes that claim tasks from one database. Two share each slice of the board and walk it towards each
// other, so that claims compete; where they meet, both have finished.

const [folder = '', agentId = '', first = '1', count = '1', pause = '0', at = '0', of = '1'] = process.argv.slice(2)
const core = await openBenchCore(folder)
// All start together, once each has loaded its program: the measurement is of the waiting, not of the start of node.
process.send!('ready')
await new Promise((begin) => process.once('message', begin))
const claimed: number[] = []
const waits: number[] = []
const slices = Number(of) / 2
const slice = Math.floor(Number(at) / 2)
const begin = Number(first) + Math.floor((Number(count) * slice) / slices)
const end = Number(first) + Math.floor((Number(count) * (slice + 1)) / slices)
const backwards = Number(at) % 2 === 1
for (let step = 0; step < end - begin; step++) {
  const taskId = backwards ? end - 1 - step : begin + step
  const began = performance.now()
  try {
    await perform(core, claimTask, { taskId, agentId }, person)
  } catch (error) {
    if (!isRefusal(error) || error.code === 'database_busy') throw error
    break
  }
  waits.push(performance.now() - began)
  claimed.push(taskId)
  await perform(core, completeTask, { taskId, agentId }, person)
  if (Number(pause) > 0) await sleep(Number(pause))
}
core.store.close()
process.send!({ claimed, waits } satisfies WorkerReport)
process.disconnect()
