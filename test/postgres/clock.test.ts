import { execFileSync } from 'node:child_process'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openWorld } from '../../src/effects/opening/open-core.ts'
import { milliseconds } from '../../src/domain/words/time.ts'
import type { z } from 'zod'
import { person, system } from '../../src/domain/agent/actor.ts'
import { registerAgent } from '../../src/operations/agents/spawn.ts'
import { syncPersonas } from '../../src/operations/agents/persona-files.ts'
import type { Operation } from '../../src/operations/perform/operation.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { sweep } from '../../src/operations/supervision/sweep.ts'
import { requestPermission } from '../../src/operations/requests/permissions.ts'
import { claimTask, startTask } from '../../src/operations/tasks/claims.ts'
import { createTask } from '../../src/operations/tasks/create.ts'
import { getTask } from '../../src/operations/tasks/detail.ts'
import { agentActor, openCore, temporaryFolder } from '../support/core.ts'
import { addSession, newAddress, openAt, ownCluster, runSql } from '../support/board-on-server.ts'

// A board on a server has the clock of that server, whatever this machine's says.

const cluster = ownCluster()

const HOUR = 3_600_000

/** The difference between the clock of a board and a right one (ms). */
const error = (at: string | undefined, right: number): number => Math.abs(milliseconds(at!) - right)

/** Sets the clock of this machine so far off; returns the right one. */
const setWrong = (off: number): (() => number) => {
  const right = Date.now.bind(Date)
  const wrong = vi.spyOn(Date, 'now').mockImplementation(() => right() + off)
  onTestFinished(() => wrong.mockRestore())
  return right
}

test.each([HOUR, -HOUR])(
  'a program that only reads has the clock of the server, with its own %i ms off',
  async (off) => {
    const address = newAddress(cluster)
    ;(await openAt(address)).close()
    const right = Date.now.bind(Date)
    const wrong = vi.spyOn(Date, 'now').mockImplementation(() => right() + off)
    onTestFinished(() => wrong.mockRestore())
    const store = await openAt(address)
    expect(error(store.now!(), right())).toBeLessThan(HOUR / 2)
    await store.read.selectFrom('sessions').select('id').execute()
    expect(error(store.now!(), right())).toBeLessThan(HOUR / 2)
    const read = store.now!()
    await addSession(store, 's')
    expect(store.now!() >= read).toBe(true)
    expect(error(store.now!(), right())).toBeLessThan(HOUR / 2)
  },
)

test('a program shows times, and waits for them, by the clock of the server', async () => {
  const root = temporaryFolder()
  execFileSync('git', ['init', '--quiet', '--initial-branch=main'], { cwd: root })
  const address = newAddress(cluster)
  const right = setWrong(HOUR)
  const { core } = await openWorld(root, { openStore: () => openAt(address), self: ['aiswarm'], warn: () => {} })
  expect(error(core.clock(), right())).toBeLessThan(HOUR / 2)
})

/** Moves the clock of the server, as the board reads it. */
const moveServer = (schema: string, by: string): Promise<unknown> =>
  runSql(
    cluster,
    `CREATE OR REPLACE FUNCTION ${schema}.board_now() RETURNS text LANGUAGE sql VOLATILE
     AS $$ SELECT to_char((clock_timestamp() + interval '${by}') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$`,
  )

test('a jump of the server clock ahead ends no lease, and denies no request', async () => {
  const address = newAddress(cluster)
  const [world, store] = [await openCore(), await openAt(address)]
  const core = { ...world.core, store }
  // The watch for commits of others reads the clock of the machine, which does not move here: it has just looked.
  store.version()
  await expect.poll(() => store.hears()).toBe(true)
  const by = <I extends z.ZodType, O extends z.ZodType>(
    operation: Operation<I, O>,
    input: z.input<I>,
    actor = person,
  ) => perform(core, operation, input, actor)
  await by(syncPersonas, { files: [] }, system())
  const { id } = await by(createTask, { title: 'a task', personaId: 'implementer' }, person)
  await by(registerAgent, { id: 'a', personaId: 'implementer' })
  await by(claimTask, { taskId: id }, agentActor('a'))
  await by(startTask, { taskId: id }, agentActor('a'))
  await by(requestPermission, { toolName: 'Write', input: { file_path: 'a.txt' } }, agentActor('a'))
  const untouched = { offline: [], released: [], expired: [] }
  expect(await by(sweep, {}, system())).toMatchObject(untouched)
  await moveServer(address.schema, '1 day')
  expect(await by(sweep, {}, system())).toMatchObject(untouched)
  expect(await by(sweep, {}, system())).toMatchObject(untouched)
  expect(await by(getTask, { taskId: id })).toMatchObject({ status: 'in_progress' })
  expect(store.jumped!()).toBeGreaterThan(23 * HOUR)
  expect(store.jumped!()).toBe(0)
  // A program that begins after the jump knows nothing of it, and gets the terms that were given.
  const later = { ...core, store: await openAt(address) }
  expect(await perform(later, sweep, {}, system())).toMatchObject(untouched)
})

/** A board on a server with a task that an agent has begun. */
const withAgent = async () => {
  const address = newAddress(cluster)
  const [world, store] = [await openCore(), await openAt(address)]
  const core = { ...world.core, store }
  await perform(core, syncPersonas, { files: [] }, system())
  const { id } = await perform(core, createTask, { title: 'a task', personaId: 'implementer' }, person)
  for (const agentId of ['a', 'b'])
    await perform(core, registerAgent, { id: agentId, personaId: 'implementer' }, person)
  await perform(core, claimTask, { taskId: id }, agentActor('a'))
  await perform(core, startTask, { taskId: id }, agentActor('a'))
  return { address, core, id }
}

test('a process that begins to plan just after a jump of the server clock ends no lease, and judges from then on', async () => {
  const { address, core, id } = await withAgent()
  await moveServer(address.schema, '1 day')
  const later = { ...core, store: await openAt(address) }
  const untouched = { offline: [], released: [], expired: [] }
  expect(await perform(later, sweep, { first: true }, system())).toMatchObject(untouched)
  expect(await perform(later, sweep, {}, system())).toMatchObject(untouched)
  expect(await perform(later, getTask, { taskId: id }, person)).toMatchObject({ status: 'in_progress' })
  await runSql(cluster, `UPDATE ${address.schema}.deadlines SET ends_ms = 0`)
  expect(await perform(later, sweep, {}, system())).toMatchObject({
    offline: expect.arrayContaining(['a', 'b']) as string[],
    released: [id],
  })
})

test('a process that begins to plan judges at once where another agent is alive, which shows that the clock has not jumped', async () => {
  const { address, core, id } = await withAgent()
  await runSql(cluster, `UPDATE ${address.schema}.deadlines SET ends_ms = 0 WHERE id <> 'b'`)
  const later = { ...core, store: await openAt(address) }
  expect(await perform(later, sweep, { first: true }, system())).toMatchObject({ offline: ['a'], released: [id] })
})

test('a jump of the server clock back is noticed, and the time of the board does not go back', async () => {
  const address = newAddress(cluster)
  const store = await openAt(address)
  await addSession(store, 'one')
  const before = store.now!()
  expect(store.jumped!()).toBe(0)
  await moveServer(address.schema, '-1 hour')
  await addSession(store, 'two')
  expect(store.now!() >= before).toBe(true)
  expect(store.jumped!()).toBeLessThan(-HOUR * 0.9)
  expect(store.isAhead!()).toBe(false)
})

test('a program that writes nothing asks for the clock of the server again', async () => {
  const store = await openAt(newAddress(cluster))
  const began = milliseconds(store.now!())
  // The clock of this machine hardly advances.
  const real = performance.now.bind(performance)
  const since = real()
  const slow = vi.spyOn(performance, 'now').mockImplementation(() => since + (real() - since) / 1000)
  onTestFinished(() => slow.mockRestore())
  store.version()
  await expect.poll(() => milliseconds(store.now!()) - began).toBeGreaterThan(1000)
})
