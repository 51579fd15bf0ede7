import { expect, test } from 'vitest'
import { type Db, statement } from '../../../src/db/engine/db.ts'
import { openCore, start } from '../../support/core.ts'

/** A database with the events a, b and c; b has no agent. */
const desk = async () => {
  const { store } = await openCore()
  const event = { at: start, actor: 'human', task_id: null, worktree: null, details: null }
  await store.write(async (db) => {
    for (const operation of ['a', 'b', 'c'])
      await db
        .insertInto('events')
        .values({ ...event, operation, agent_id: operation === 'b' ? null : 'human' })
        .execute()
  })
  return store
}

interface Wanted {
  readonly operations?: readonly string[]
  readonly not?: string | undefined
  readonly last?: number
}

/** The statement under test, and how often it was built. */
const counted = () => {
  let built = 0
  const select = statement((db, { operations, not, last }: Wanted) => {
    built++
    let query = db
      .selectFrom('events')
      .select('operation')
      .where('operation', 'in', ['a', 'b', 'c'])
      .orderBy('operation')
    if (operations) query = query.where('operation', 'in', operations)
    if (not !== undefined) query = query.where('operation', '<>', not)
    return last === undefined ? query : query.limit(last)
  })
  return {
    found: async (db: Db, wanted: Wanted) => (await select(db, wanted)).rows.map(({ operation }) => operation),
    built: () => built,
  }
}

test('a statement is built once and gets the values of each run', async () => {
  const { read } = await desk()
  const { found, built } = counted()
  expect([await found(read, { not: 'a' }), await found(read, { not: 'b' }), await found(read, { not: 'c' })]).toEqual([
    ['b', 'c'],
    ['a', 'c'],
    ['a', 'b'],
  ])
  expect(built()).toBe(1)
})

test('other names, a missing value or a list of another length need another statement', async () => {
  const { read } = await desk()
  const { found, built } = counted()
  expect(await found(read, {})).toEqual(['a', 'b', 'c'])
  expect(await found(read, { not: undefined })).toEqual(['a', 'b', 'c'])
  expect(built()).toBe(1)
  expect(await found(read, { operations: ['c', 'a'] })).toEqual(['a', 'c'])
  expect(await found(read, { operations: ['b', 'a'] })).toEqual(['a', 'b'])
  expect(built()).toBe(2)
  expect(await found(read, { operations: ['b'] })).toEqual(['b'])
  expect(await found(read, { operations: ['b', 'c'], last: 1 })).toEqual(['b'])
  expect(built()).toBe(4)
})

test('a statement that left the cache is still answered correctly', async () => {
  const { read } = await desk()
  const { found } = counted()
  for (let length = 1; length <= 250; length++)
    expect(await found(read, { operations: Array.from({ length }, () => 'b') })).toEqual(['b'])
  expect(await found(read, { operations: ['c'] })).toEqual(['c'])
})

test('a statement accepts null as a value, and a change returns the number of rows it found', async () => {
  const store = await desk()
  const name = statement((db, { agent, of }: { agent: string | null; of: string }) =>
    db.updateTable('events').set({ agent_id: agent }).where('operation', '=', of),
  )
  const changed = await store.write((db) =>
    Promise.all([
      name(db, { agent: null, of: 'a' }),
      name(db, { agent: 'human', of: 'b' }),
      name(db, { agent: null, of: 'nothing' }),
    ]),
  )
  expect(changed.map(({ numAffectedRows }) => numAffectedRows)).toEqual([1n, 1n, 0n])
  const rows = await store.read
    .selectFrom('events')
    .select('agent_id')
    .where('operation', 'in', ['a', 'b', 'c'])
    .orderBy('operation')
    .execute()
  expect(rows.map(({ agent_id }) => agent_id)).toEqual([null, 'human', 'human'])
})

test('a statement belongs to its connection: the reader does not see uncommitted rows of the writer', async () => {
  const store = await desk()
  const { found } = counted()
  await store.write(async (db) => {
    await db.deleteFrom('events').where('operation', '=', 'a').execute()
    expect(await found(db, {})).toEqual(['b', 'c'])
    expect(await found(store.read, {})).toEqual(['a', 'b', 'c'])
  })
})
