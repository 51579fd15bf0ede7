import { expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../src/db/postgres/open.ts'
import { type Server, serverAt, type Session } from '../../src/db/postgres/server.ts'
import { person } from '../../src/domain/agent/actor.ts'
import { perform } from '../../src/operations/door/perform.ts'
import { beginSession } from '../../src/operations/sessions/begin-session.ts'
import { readBoard } from '../../src/operations/screens/read-board.ts'
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

test('read_board waits for at most 12 answers one after the other', async () => {
  const world = await filledBoard()
  await world.perform(beginSession, {})
  const schema = /\((\w+)\)$/.exec(world.store.path)![1]!
  const { server, count, reset } = inRounds(serverAt({ url: process.env[CLUSTER]!, schema }))
  const store = await openPostgres({ url: process.env[CLUSTER]!, schema }, { migrations: postgresScripts, server })
  onTestFinished(() => store.close())
  // The first time makes the connections.
  await perform({ ...world.core, store }, readBoard, {}, person)
  reset()
  const board = await perform({ ...world.core, store }, readBoard, {}, person)
  expect(board).toEqual(await world.perform(readBoard, {}))
  expect(count().statements).toBeGreaterThan(20)
  expect(count().rounds).toBeLessThanOrEqual(12)
})
