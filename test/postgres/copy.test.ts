import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { copiedTables } from '../../src/db/copy.ts'
import type { Store } from '../../src/db/engine/store.ts'
import { openStore, type SqliteStore } from '../../src/db/sqlite/open.ts'
import { spawnAgent } from '../../src/operations/agents/spawn.ts'
import { dispatch } from '../../src/operations/supervision/dispatch.ts'
import { copyDatabase } from '../../src/operations/database/copy.ts'
import { retrieveConversation } from '../../src/operations/memory/conversations.ts'
import { retrieveExecution } from '../../src/operations/memory/executions.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { searchTaskLogs } from '../../src/operations/screens/search.ts'
import { createTask } from '../../src/operations/tasks/create.ts'
import { person, system } from '../../src/domain/agent/actor.ts'
import { addSession, newAddress, openAt, ownCluster, runSql } from '../support/board-on-server.ts'
import { migrations, openCore, refusal, temporaryFolder, type World } from '../support/core.ts'
import { filledBoard } from '../support/filled-board.ts'

const cluster = ownCluster()

const newFile = async (): Promise<SqliteStore> => {
  const store = await openStore(join(temporaryFolder(), 'coordination.db'), { migrations })
  onTestFinished(() => store.close())
  return store
}

/** Every row of the board's tables, and the last numbers that were given. */
const contentOf = ({ path }: Store): Readonly<Record<string, unknown>> => {
  const connection = new SqliteDatabase(path, { readonly: true })
  const names = [...copiedTables.map(({ name }) => name), 'task_counts', 'usage_totals', 'unpriced_totals']
  const rows = (name: string): readonly string[] =>
    connection
      .prepare(`SELECT * FROM ${name}`)
      .all()
      .map((row) => JSON.stringify(row))
      .sort()
  try {
    return Object.fromEntries(names.map((name) => [name, rows(name)]))
  } finally {
    connection.close()
  }
}

/** The results of three searches, without their ranks, which differ between engines. */
const found = async ({ core }: World, store: Store) => {
  const on = { ...core, store }
  return [
    await perform(on, searchTaskLogs, { words: ['needle'], limit: 10 }, person),
    await perform(on, retrieveConversation, { userId: 'ada', query: 'lighthouse', limit: 10 }, person),
    await perform(on, retrieveExecution, { userId: 'ada', query: '"painted the"', limit: 10 }, person),
  ].map(
    (result) => JSON.parse(JSON.stringify(result, (key, value: unknown) => (key === 'rank' ? null : value))) as unknown,
  )
}

test('a board that is copied to a server and back has the same rows and is found by the same words', async () => {
  const world = await filledBoard()
  const [first, server, second] = [await newFile(), await openAt(newAddress(cluster)), await newFile()]
  await copyDatabase(world.store, first, world.now())
  const content = contentOf(first)
  for (const table of [
    'tasks',
    'task_attempts',
    'task_logs',
    'agent_runs',
    'usage_totals',
    'conversations',
    'executions',
    'events',
  ])
    expect(content[table], table).not.toEqual([])
  const report = await copyDatabase(first, server, world.now())
  expect(report.find(({ table }) => table === 'tasks')).toEqual({ table: 'tasks', rows: 40 })
  await copyDatabase(server, second, world.now())
  expect(contentOf(second)).toEqual(content)

  const before = await found(world, first)
  expect(before).toMatchObject([{ logs: [{}, {}] }, { total: 2 }, { total: 2 }])
  for (const store of [server, second]) {
    expect(await found(world, store)).toEqual(before)
    expect(await store.maintenance.check()).toEqual({ damaged: false, findings: [] })
    const { id } = await perform(
      { ...world.core, store },
      createTask,
      { title: 'next', personaId: 'implementer' },
      person,
    )
    expect(id).toBe(41)
    expect(await store.maintenance.check()).toEqual({ damaged: false, findings: [] })
  }
})

test('a board whose agent runs is not copied', async () => {
  const world = await openCore()
  const empty = await newFile()
  const content = contentOf(empty)
  const { id: taskId } = await world.task()
  const { id } = await world.perform(spawnAgent, { personaId: 'implementer', taskId })
  await world.perform(dispatch, { maxParallel: 9 }, system())
  const running = await refusal(copyDatabase(world.store, empty, world.now()))
  expect(running.code).toBe('invalid_state')
  expect(running.message).toContain(`Agent ${id} is running. End it with 'aiswarm agent terminate ${id}'`)
  expect(contentOf(empty)).toEqual(content)
})

test('a board is not copied into one that is in use', async () => {
  const world = await filledBoard({ tasks: 4 })
  const other = await openAt(newAddress(cluster))
  await copyDatabase(world.store, other, world.now())
  const { code, message } = await refusal(copyDatabase(world.store, other, world.now()))
  expect(code).toBe('already_exists')
  expect(message).toMatch(/is not empty: it is a copy of this one, up to event \d+.*'DROP SCHEMA … CASCADE'/)
  const stranger = await filledBoard({ tasks: 5 })
  expect((await refusal(copyDatabase(stranger.store, other, world.now()))).message).toMatch(
    /is not empty\. Name another/,
  )
})

test('a board is not copied into one that was moved away before', async () => {
  const world = await filledBoard({ tasks: 4 })
  const left = await openAt(newAddress(cluster))
  await left.write((db) => left.maintenance.leave('another store', db))
  const { code, message } = await refusal(copyDatabase(world.store, left, world.now()))
  expect(code).toBe('already_exists')
  expect(message).toMatch(/was moved away before.*\?schema=NAME/)
})

test('a copy that is not sound where the original is does not become the board', async () => {
  const [world, server] = [await filledBoard({ tasks: 4 }), await openAt(newAddress(cluster))]
  // Another program changes the copy after it was compared.
  const changed: Store = {
    ...server,
    write: async (work, options) => {
      const result = await server.write(work, options)
      await runSql(
        cluster,
        `UPDATE ${server.path.replace(/.*\((.*)\)$/, '$1')}.task_status SET attempt = 9 WHERE task_id = 1`,
      )
      return result
    },
  }
  let ends = 0
  const { code, message } = await refusal(copyDatabase(world.store, changed, world.now(), async () => void ends++))
  expect(code).toBe('migration_failed')
  expect(message).toMatch(/is not sound: .*Task 1 has another number of attempts.*The board stays where it is\./)
  expect(ends).toBe(0)
})

test('tokens without a price are compared as well', async () => {
  const [world, server] = [await filledBoard({ tasks: 4 }), await openAt(newAddress(cluster))]
  const report = await copyDatabase(world.store, server, world.now())
  expect(report.find(({ table }) => table === 'unpriced_totals')).toBeDefined()
})

test('a copy that fails after its last row leaves both boards as they were', async () => {
  const world = await filledBoard({ tasks: 4 })
  const server = await openAt(newAddress(cluster))
  const broken: Store = {
    ...server,
    // The connection breaks once everything is copied.
    write: (work, options) =>
      server.write(async (db, at, last) => {
        await work(db, at, last)
        throw new Error('killed')
      }, options),
  }
  await expect(copyDatabase(world.store, broken, world.now())).rejects.toThrow('killed')
  expect(await server.read.selectFrom('events').selectAll().execute()).toEqual([])
  await copyDatabase(world.store, server, world.now())
  expect(await found(world, server)).toEqual(await found(world, world.store))
})

test('nothing is written to a board between its copy and its mark as moved', async () => {
  const address = newAddress(cluster)
  const [one, other] = [await openAt(address), await openAt(address)]
  await addSession(one, 'one')
  let late: Promise<{ code: string }> | undefined
  const target = await newFile()
  await copyDatabase(one, target, new Date().toISOString(), async (leave) => {
    late = refusal(addSession(other, 'late'))
    await leave('/elsewhere')
  })
  expect((await late!).code).toBe('database_moved')
})

test('a text with a NUL character, as an older board may have, is copied to a server with a replacement', async () => {
  const file = await newFile()
  const { store, task, now } = await openCore()
  await task({ title: 'Bake' })
  await copyDatabase(store, file, now())
  // An older aiswarm kept what a program printed.
  const connection = new SqliteDatabase(file.path)
  connection.prepare("UPDATE tasks SET description = 'a' || char(0) || 'b'").run()
  connection.close()
  const server = await openAt(newAddress(cluster))
  await copyDatabase(file, server, now())
  expect(await server.read.selectFrom('tasks').select(['title', 'description']).execute()).toEqual([
    { title: 'Bake', description: 'a\ufffdb' },
  ])
  expect(await server.maintenance.check()).toEqual({ damaged: false, findings: [] })
})
