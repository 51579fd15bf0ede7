import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { person } from '../../src/domain/agent/actor.ts'
import { isRefusal } from '../../src/domain/rules/refusal.ts'
import { claimTask, completeTask } from '../../src/operations/tasks/claims.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { connect } from '../../src/db/sqlite/database.ts'
import { openBenchCore } from '../bench-core.ts'
import { claimByHand, completeByHand } from '../by-hand.ts'
import type { WorkerReport } from '../rows/contention.ts'

// One of many processes that claim tasks from one database, by the operations or by the same statements. Two share each slice of the board and walk it towards each
// other, so that claims compete; where they meet, both have finished.

const [folder = '', agentId = '', first = '1', count = '1', pause = '0', at = '0', of = '1', how = 'operations'] =
  process.argv.slice(2)

interface Work {
  /** False if another process has the task. */
  readonly claim: (taskId: number) => Promise<boolean>
  readonly complete: (taskId: number) => Promise<unknown>
  readonly close: () => void
}

const byOperations = async (): Promise<Work> => {
  const core = await openBenchCore(folder)
  const claim = async (taskId: number): Promise<boolean> => {
    try {
      await perform(core, claimTask, { taskId, agentId }, person)
      return true
    } catch (error) {
      if (!isRefusal(error) || error.code === 'database_busy') throw error
      return false
    }
  }
  return {
    claim,
    complete: (taskId) => perform(core, completeTask, { taskId, agentId }, person),
    close: () => core.store.close(),
  }
}

/** SQLite itself waits for the other processes. */
const byStatements = (): Work => {
  const db = connect(join(folder, 'coordination.db'), { wait: 10_000 })
  const [claim, complete] = [claimByHand(db, agentId), completeByHand(db, agentId)]
  return {
    claim: async (taskId) => claim(taskId),
    complete: async (taskId) => complete(taskId),
    close: () => db.close(),
  }
}

const { claim, complete, close } = how === 'operations' ? await byOperations() : byStatements()
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
  if (!(await claim(taskId))) break
  waits.push(performance.now() - began)
  claimed.push(taskId)
  await complete(taskId)
  if (Number(pause) > 0) await sleep(Number(pause))
}
close()
process.send!({ claimed, waits } satisfies WorkerReport)
process.disconnect()
