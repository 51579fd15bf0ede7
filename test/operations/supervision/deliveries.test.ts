import { describe, expect, it } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import type { HookEvent } from '../../../src/domain/settings/hooks.ts'
import { listEvents } from '../../../src/operations/sessions/sessions.ts'
import { startSession } from '../../../src/operations/sessions/start.ts'
import { planDeliveries, readDeliveries, recordDelivery } from '../../../src/operations/supervision/deliveries.ts'
import { sweep } from '../../../src/operations/supervision/sweep.ts'
import { claimTask, completeTask, failTask } from '../../../src/operations/tasks/claims.ts'
import { minute, openCore, second } from '../../support/core.ts'
import { byHand } from '../../support/store.ts'

const hour = 60 * minute

const open = async (
  hooks: readonly { key: string; event: HookEvent }[] = [{ key: 'done', event: 'task.completed' }],
  maxRetries = 2,
) => {
  const world = await openCore({ session: { maxParallel: 3, maxRetries, pollInterval: 0 } })
  const { perform } = world
  const plan = () => perform(planDeliveries, { hooks: [...hooks], forget: true }, system())
  const read = (...keys: string[]) =>
    perform(readDeliveries, { hooks: keys.length > 0 ? keys : hooks.map(({ key }) => key) }, system())
  await plan()
  const worker = await world.agent('worker-1')
  const claimed = async (id: number) => perform(claimTask, { taskId: id }, worker)
  return {
    ...world,
    plan,
    read,
    worker,
    completed: async (resultData?: string) => {
      const { id } = await world.task()
      await claimed(id)
      await perform(completeTask, { taskId: id, ...(resultData === undefined ? {} : { resultData }) }, worker)
      return id
    },
    failed: async (id: number) => {
      await claimed(id)
      return perform(failTask, { taskId: id, errorMessage: 'no luck' }, worker)
    },
    due: async (...keys: string[]) =>
      (await read(...keys)).due.map(
        ({ payload }) => JSON.parse(payload) as { id: string; event: string; task: { id: number; status: string } },
      ),
    record: (id: string, tries: number, error: string | null) =>
      perform(recordDelivery, { id, tries, error }, system()),
  }
}

describe('a hook', () => {
  it('receives the events after it was first configured, and no earlier ones', async () => {
    const later = [
      { key: 'done', event: 'task.completed' },
      { key: 'new', event: 'task.completed' },
    ] as const
    const { completed, plan, perform, due } = await open()
    const first = await completed()
    await plan()
    await perform(planDeliveries, { hooks: [...later], forget: true }, system())
    const second = await completed()
    await perform(planDeliveries, { hooks: [...later], forget: true }, system())
    expect(await due('done')).toMatchObject([{ task: { id: first } }])
    expect(await due('new')).toMatchObject([{ task: { id: second } }])
  })

  it('receives what happened, who did it, and in which session', async () => {
    const { completed, plan, read, perform, now } = await open()
    const { id: session } = await perform(startSession, { goal: 'ship' })
    const id = await completed('done')
    await plan()
    const { due } = await read()
    const payload = JSON.parse(due[0]!.payload) as Record<string, unknown>
    expect(due[0]).toMatchObject({ hook: 'done', taskId: id, worktree: null, tries: 0, id: payload['id'] })
    expect(payload).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      event: 'task.completed',
      at: now(),
      session,
      task: expect.objectContaining({
        id,
        title: 'a task',
        status: 'completed',
        attempt: 1,
        assignedAgentId: 'worker-1',
        resultData: 'done',
        errorMessage: null,
      }) as object,
    })
  })

  it('is forgotten when it leaves the configuration, and starts over when it returns', async () => {
    const { completed, plan, perform, read, due } = await open()
    await completed()
    await plan()
    await perform(planDeliveries, { hooks: [], forget: true }, system())
    expect((await read()).known).toEqual([])
    await completed()
    await plan()
    expect(await due()).toEqual([])
  })

  it('that is missing from the configuration for a moment receives the events of that moment later', async () => {
    const { completed, plan, perform, due } = await open()
    const first = await completed()
    await plan()
    await perform(planDeliveries, { hooks: [], forget: false }, system())
    const second = await completed()
    await perform(planDeliveries, { hooks: [], forget: false }, system())
    await plan()
    expect(await due()).toMatchObject([{ task: { id: first } }])
    expect((await perform(readDeliveries, { hooks: ['done'] }, system())).known).toEqual(['done'])
    expect(second).toBeGreaterThan(first)
  })

  it('receives every event once, however often it is planned', async () => {
    const { completed, plan, record, read } = await open()
    await completed()
    await plan()
    await plan()
    const { due } = await read()
    expect((await record(due[0]!.id, 0, null)).state).toBe('delivered')
    await plan()
    expect(await read()).toMatchObject({ due: [], nextAt: null })
    expect((await record(due[0]!.id, 0, null)).state).toBe('unknown')
  })
})

describe('a failed task', () => {
  it('is delivered only when it has failed for good', async () => {
    const { task, failed, plan, due, pass } = await open([{ key: 'bad', event: 'task.failed' }], 1)
    const { id } = await task()
    expect((await failed(id)).status).toBe('pending')
    await plan()
    expect(await due()).toEqual([])
    pass(minute)
    expect((await failed(id)).status).toBe('failed')
    await plan()
    expect(await due()).toMatchObject([
      { event: 'task.failed', task: { id, status: 'failed', attempt: 2, errorMessage: 'no luck' } },
    ])
  })

  it('is delivered after the last of its lost agents as well', async () => {
    const { task, perform, plan, due, pass, agent } = await open([{ key: 'bad', event: 'task.failed' }])
    const { id } = await task()
    for (let n = 1; n <= 5; n++) {
      await perform(claimTask, { taskId: id }, await agent(`lost-${n}`))
      pass(2 * minute)
      await perform(sweep, {}, system())
    }
    await plan()
    expect(await due()).toMatchObject([{ event: 'task.failed', task: { id, status: 'failed', attempt: 5 } }])
  })
})

describe('a failed delivery', () => {
  it('is retried after 30 s, 60 s, 2 min, …, with the same id and the same body', async () => {
    const { completed, plan, record, read, pass } = await open()
    await completed()
    await plan()
    const first = (await read()).due[0]!
    for (const [tries, delay] of [30, 60, 120, 240].entries()) {
      await record(first.id, tries, 'down')
      pass(delay * second - 1)
      expect((await read()).due).toEqual([])
      pass(1)
      expect((await read()).due).toEqual([{ ...first, tries: tries + 1 }])
    }
  })

  it('is dropped after a day, which an event records', async () => {
    const { completed, plan, record, read, pass, perform } = await open()
    const id = await completed()
    await plan()
    const { id: delivery } = (await read()).due[0]!
    pass(24 * hour - 1)
    expect((await record(delivery, 0, 'down')).state).toBe('waiting')
    pass(hour)
    expect((await record(delivery, 1, 'still down')).state).toBe('given_up')
    expect(await read()).toMatchObject({ due: [], nextAt: null })
    expect((await perform(listEvents, {})).at(-1)).toMatchObject({
      operation: 'record_delivery',
      taskId: id,
      details: { tries: 2, error: 'still down' },
    })
  })

  it('delays other deliveries to its receiver, and does not block them afterwards', async () => {
    const { completed, plan, record, read, pass } = await open()
    const [poison, other] = [await completed(), await completed()]
    await plan()
    const first = (await read()).due[0]!
    expect(first.taskId).toBe(poison)
    await record(first.id, 0, 'the response was 400')
    expect((await read()).due).toEqual([])
    pass(30 * second)
    const next = (await read()).due[0]!
    expect(next.taskId).toBe(other)
    await record(next.id, 0, null)
    expect((await read()).due).toMatchObject([{ taskId: poison, tries: 1 }])
  })
})

it('a delivery is kept for a week after its end', async () => {
  const { completed, plan, record, read, pass, core } = await open()
  await completed()
  await plan()
  await record((await read()).due[0]!.id, 0, null)
  const rows = () => byHand(core.store, 'SELECT count(*) AS n FROM hook_deliveries')
  pass(7 * 24 * hour)
  await plan()
  expect(await rows()).toEqual([{ n: 1 }])
  pass(1)
  await plan()
  expect(await rows()).toEqual([{ n: 0 }])
})

it('a delivery is planned and recorded only by aiswarm itself', async () => {
  const { perform, worker } = await open()
  await expect(perform(planDeliveries, { hooks: [], forget: true }, worker)).rejects.toThrow(/may not plan deliveries/)
})
