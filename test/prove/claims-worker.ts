import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { benchCoreOn, migrations } from '../../bench/bench-core.ts'
import { openPostgres } from '../../src/db/postgres/open.ts'
import { person } from '../../src/domain/agent/actor.ts'
import { isRefusal } from '../../src/domain/rules/refusal.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { claimTask, completeTask } from '../../src/operations/tasks/claims.ts'

// One process of a host: claims and completes every task of its row, unless another host was first, and writes each
// acknowledged claim to its diary.

const [url = '', folder = '', agentId = '', row = '', rows = '', tasks = ''] = process.argv.slice(2)

const store = await openPostgres({ url, schema: 'claims' }, { migrations: join(migrations, 'postgres') })
const core = await benchCoreOn(store, folder)
const diary = (line: string): void => appendFileSync(join(folder, `${agentId}.diary`), `${line}\n`)
const lost = new Set(['already_claimed', 'invalid_state'])

for (let taskId = 1 + Number(row); taskId <= Number(tasks); taskId += Number(rows)) {
  try {
    await perform(core, claimTask, { taskId, agentId }, person)
    diary(`claimed ${taskId}`)
    await perform(core, completeTask, { taskId, agentId }, person)
    diary(`completed ${taskId}`)
  } catch (error) {
    if (!isRefusal(error) || !lost.has(error.code)) diary(`error ${taskId} ${String(error)}`)
  }
}
store.close()
