import { join } from 'node:path'
import { Client } from 'pg'
import { openPostgres } from '../../src/db/postgres/open.ts'
import { person } from '../../src/domain/agent/actor.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { claimTask, completeTask } from '../../src/operations/tasks/claims.ts'
import { benchCoreOn, migrations } from '../bench-core.ts'

// One of many processes that claim and complete tasks of a board on a server, by the operations or by a plain loop that
// skips locked rows. Each `go` is one round of so many pairs.

const [url = '', folder = '', how = '', agentId = '', first = '1', count = '1'] = process.argv.slice(2)

const byOperations = async () => {
  const store = await openPostgres({ url, schema: 'bench' }, { migrations: join(migrations, 'postgres') })
  const core = await benchCoreOn(store, folder)
  let next = Number(first)
  return async (): Promise<void> => {
    const taskId = next++
    await perform(core, claimTask, { taskId, agentId }, person)
    await perform(core, completeTask, { taskId, agentId }, person)
  }
}

const byLoop = async () => {
  const hand = new Client({ host: folder, user: 'owner', database: 'postgres' })
  await hand.connect()
  await hand.query('SET search_path TO bench')
  return async (): Promise<void> => {
    const { rows } = await hand.query<{ id: string }>(
      "UPDATE plain SET state = 'claimed' WHERE id = (SELECT id FROM plain WHERE state = 'pending' ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1) RETURNING id",
    )
    await hand.query("UPDATE plain SET state = 'completed' WHERE id = $1", [rows[0]!.id])
  }
}

const pair = await (how === 'operations' ? byOperations() : byLoop())
process.on('message', () => {
  void (async () => {
    for (let i = 0; i < Number(count); i++) await pair()
    process.send!('done')
  })()
})
process.send!('ready')
