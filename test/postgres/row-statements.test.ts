import { expect, test } from 'vitest'
import { serverAt } from '../../src/db/postgres/server.ts'
import { isRefusal } from '../../src/domain/rules/refusal.ts'
import { person } from '../../src/domain/agent/actor.ts'
import { agentActor } from '../support/core.ts'
import { insertMessage } from '../../src/db/messages.ts'
import type { Core } from '../../src/operations/perform/core.ts'
import { claimTask, completeTask } from '../../src/operations/tasks/claims.ts'
import { createTask } from '../../src/operations/tasks/create.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { coreOfServer, newAddress, openAt, ownCluster } from '../support/board-on-server.ts'
import { fill, withScope } from '../support/row-writes.ts'
import {
  foreignIn,
  readOfOthers,
  refuseUnsafe,
  showingTransactions,
  type Transaction,
  writtenBesideOthers,
} from '../support/transactions.ts'

// Which rows the writes that share the board read and write, by their statements and by the locks that the server holds for
// them. Every write of the tests of the operations is held against the same lists (test/support/other-stores.ts).

const cluster = ownCluster()

/** The board of the writes with a scope, and what each of its writes has done. */
const openWatched = async () => {
  const address = newAddress(cluster)
  const seen: Transaction[] = []
  const view = (transaction: Transaction): void => void seen.push(transaction)
  const core = coreOfServer(await openAt(address, { server: showingTransactions(serverAt(address), view) }))
  await fill(core)
  return { core, seen }
}

/** An agent's own calls: it meets the criteria of a task, and has read what was said to it. */
const byAgent = async (core: Core): Promise<void> => {
  const draft = { title: 'a task', personaId: 'implementer', acceptanceCriteria: ['it works'] }
  const { id: taskId } = await perform(core, createTask, draft, person)
  const said = { author: 'human', author_kind: 'person', body: 'well', delivery: 'now' } as const
  await core.store.write((db) =>
    insertMessage(db, {
      ...said,
      kind: 'say',
      agent_id: 'b',
      run_of: 'b',
      run: 0,
      status: 'handed_over',
      said_at: core.clock(),
      handed_over_at: core.clock(),
    }),
  )
  await perform(core, claimTask, { taskId }, agentActor('b'))
  await perform(core, completeTask, { taskId, criteriaMet: ['1'] }, agentActor('b'))
}

test('a write that shares the board writes the listed tables, and reads rows of others in exactly those that are listed with a reason', async () => {
  const { core, seen } = await openWatched()
  seen.length = 0
  for (const write of Object.values(withScope))
    await write(core).catch((error: unknown) => {
      if (!isRefusal(error)) throw error
    })
  await byAgent(core)
  expect(seen.length).toBeGreaterThan(10)
  const sharing = seen.filter(({ agentId }) => agentId !== null)
  expect([...new Set(sharing.flatMap(({ written }) => written))].sort()).toEqual([...writtenBesideOthers].sort())
  expect([...new Set(sharing.flatMap(foreignIn))].sort()).toEqual(Object.keys(readOfOthers).sort())
  for (const transaction of seen) refuseUnsafe(transaction)
})

test('a write without a scope is alone on the board', async () => {
  const { core, seen } = await openWatched()
  seen.length = 0
  await perform(core, createTask, { title: 'new', personaId: 'implementer' }, person)
  expect(seen.map(({ agentId, board }) => [agentId, board])).toEqual([[null, ['ExclusiveLock']]])
  refuseUnsafe(seen[0]!)
})

const shared: Transaction = { agentId: 'a', taskId: 1, statements: [], written: [], board: ['ShareLock'] }
const reading = (sql: string, ...parameters: readonly unknown[]): Transaction => ({
  ...shared,
  statements: [{ sql, parameters }],
})

test.each([
  ['a write that holds the board alone beside others', { ...shared, board: ['ExclusiveLock'] }, 'ExclusiveLock'],
  ['a write that holds the board twice', { ...shared, board: ['ShareLock', 'ExclusiveLock'] }, 'ShareLock,Excl'],
  ['a board write that only shares it', { ...shared, agentId: null }, 'not with ExclusiveLock'],
  ['a table that is not listed', { ...shared, written: ['worktrees'] }, 'writes worktrees'],
  ['a count of all agents', reading('select count(*) from "agents"'), 'others in agents'],
  ['another agent', reading('select * from "agents" where "id" = $1', 'b'), 'others in agents'],
  ['one more agent', reading('select * from "agents" where "id" in ($1, $2)', 'a', 'b'), 'others in agents'],
  [
    'an agent that is one of two',
    reading('select * from "agents" where ("agents"."id" is null or "agents"."id" = $1)', 'a'),
    'others in agents',
  ],
  [
    'the attempts of a dependency',
    reading(
      'select 1 from "task_dependencies" inner join "task_attempts" on "task_attempts"."task_id" = "task_dependencies"."depends_on" where "task_dependencies"."task_id" = $1',
      1,
    ),
    'others in task_attempts',
  ],
] as const)('%s is refused', (_, transaction, words) => {
  expect(() => refuseUnsafe(transaction)).toThrow(words)
})

test('a write reads its own rows, also by a join', () => {
  refuseUnsafe(reading('select * from "agents" where "id" = $1', 'a'))
  refuseUnsafe(
    reading(
      'select 1 from "task_attempts" inner join "agents" on "agents"."id" = "task_attempts"."agent_id" where "agents"."id" in ($1)',
      'a',
    ),
  )
})
