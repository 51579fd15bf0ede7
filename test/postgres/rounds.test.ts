import { expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../src/db/postgres/open.ts'
import { type Server, serverAt, type Session } from '../../src/db/postgres/server.ts'
import { person } from '../../src/domain/agent/actor.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { registerAgent } from '../../src/operations/agents/spawn.ts'
import { beginSession } from '../../src/operations/sessions/begin-session.ts'
import { readBoard } from '../../src/operations/screens/board.ts'
import { readDependencyTree } from '../../src/operations/screens/dependency-tree.ts'
import { claimTask, completeTask } from '../../src/operations/tasks/claims.ts'
import { createTask } from '../../src/operations/tasks/create.ts'
import { getTask } from '../../src/operations/tasks/detail.ts'
import { filledBoard } from '../support/filled-board.ts'
import { CLUSTER, postgresScripts } from '../support/postgres.ts'

// Over a network a screen waits as long as the answers that need each other take one after the other.

/** A server whose answers arrive in rounds: all to what was sent since the last round, at once, as over a slow network. */
const inRounds = (server: Server) => {
  let [rounds, statements, open] = [0, 0, 0]
  let arrived: (() => void)[] = []
  const deliver = (): void => {
    if (arrived.length < open || open === 0) return
    const answers = arrived
    ;[arrived, open] = [[], 0]
    rounds++
    for (const answer of answers) answer()
  }
  const slow = (session: Session): Session => ({
    ...session,
    query: async (sql, parameters) => {
      if (/pg_notify|pg_current_snapshot/.test(sql)) return session.query(sql, parameters)
      open++
      statements++
      const result = await session.query(sql, parameters)
      await new Promise<void>((answer) => {
        arrived.push(answer)
        setImmediate(deliver)
      })
      return result as never
    },
  })
  return {
    count: () => ({ rounds, statements }),
    reset: () => void ([rounds, statements] = [0, 0]),
    server: { ...server, connect: async () => slow(await server.connect()) },
  }
}

/** A filled board, and the same through a network of rounds; its connections are made. */
const openInRounds = async () => {
  const world = await filledBoard()
  await world.perform(beginSession, {})
  const schema = /\((\w+)\)$/.exec(world.store.path)![1]!
  const { server, count, reset } = inRounds(serverAt({ url: process.env[CLUSTER]!, schema }))
  const store = await openPostgres({ url: process.env[CLUSTER]!, schema }, { migrations: postgresScripts, server })
  onTestFinished(() => store.close())
  const core = { ...world.core, store }
  await perform(core, readBoard, {}, person)
  return { world, core, count, reset }
}

test('read_board waits for at most five answers one after the other', async () => {
  const { world, core, count, reset } = await openInRounds()
  reset()
  const board = await perform(core, readBoard, {}, person)
  expect(board).toEqual(await world.perform(readBoard, {}))
  expect(count().statements).toBeGreaterThan(20)
  expect(count().rounds).toBeLessThanOrEqual(5)
})

test('read_dependency_tree asks at most twelve statements, and waits for seven answers one after the other at most', async () => {
  const { world, core, count, reset } = await openInRounds()
  reset()
  const tree = await perform(core, readDependencyTree, { at: 'last' }, person)
  expect(tree).toEqual(await world.perform(readDependencyTree, { at: 'last' }))
  expect(tree.rows.length).toBeGreaterThan(3)
  expect(count().statements).toBeLessThanOrEqual(12)
  expect(count().rounds).toBeLessThanOrEqual(7)
})

test('a claim waits for four answers one after the other, and its completion for five', async () => {
  const { world, core, count, reset } = await openInRounds()
  await world.perform(registerAgent, { id: 'near', personaId: 'implementer' })
  const { id: taskId } = await world.perform(createTask, { title: 'a task', personaId: 'implementer' })
  reset()
  const claimed = await perform(core, claimTask, { taskId, agentId: 'near' }, person)
  expect(count().rounds).toBe(4)
  expect(await world.perform(getTask, { taskId })).toMatchObject(claimed)
  reset()
  const completed = await perform(core, completeTask, { taskId, agentId: 'near', resultData: { ok: 1 } }, person)
  expect(count().rounds).toBe(5)
  expect(await world.perform(getTask, { taskId })).toMatchObject(completed)
})
