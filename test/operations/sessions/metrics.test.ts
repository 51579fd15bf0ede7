import { expect, it } from 'vitest'
import { client, system } from '../../../src/domain/agent/actor.ts'
import { askHuman } from '../../../src/operations/requests/questions.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { claimTask, completeTask, failTask, startTask } from '../../../src/operations/tasks/claims.ts'
import { readMetrics } from '../../../src/operations/screens/metrics.ts'
import { recordLaunch } from '../../../src/operations/runs/processes.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { settleRun } from '../../../src/operations/runs/ends.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { minute, openCore, second } from '../../support/core.ts'

const open = async () => {
  const world = await openCore()
  return { ...world, metrics: () => world.perform(readMetrics, {}, client('person')) }
}

/** The number of values between the bound before `upTo` and `upTo`. */
const upTo = ({ buckets }: { buckets: readonly { upTo: number; count: number }[] }, bound: number): number => {
  const at = buckets.findIndex((bucket) => bucket.upTo === bound)
  return buckets[at]!.count - (buckets[at - 1]?.count ?? 0)
}

it('an empty board has figures of zero', async () => {
  const { perform } = await openCore()
  const metrics = await perform(readMetrics, {})
  expect(metrics.tasks).toEqual({ pending: 0, claimed: 0, in_progress: 0, completed: 0, failed: 0, cancelled: 0 })
  expect(metrics).toMatchObject({
    claimable: { tasks: 0, longestWait: 0 },
    attempts: [],
    agents: [],
    openRequests: { permission: 0, question: 0, denial: 0 },
    waitingDeliveries: 0,
  })
  expect(metrics.integrations).toMatchObject({ requested: 0, integrated: 0 })
  expect(metrics.taskDurations).toMatchObject({ count: 0, sum: 0 })
  expect(readMetrics.output.parse(metrics)).toEqual(metrics)
})

it('a task counts its time from its start to its end, and its wait from when it could be claimed', async () => {
  const { perform, task, agent, pass, metrics } = await open()
  const worker = await agent('a')
  const first = await task()
  const second_ = await task({ dependencies: [first.id] })
  const work = async (id: number, { wait, take }: { wait: number; take: number }) => {
    pass(wait)
    await perform(claimTask, { taskId: id }, worker)
    await perform(startTask, { taskId: id }, worker)
    pass(take)
    await perform(completeTask, { taskId: id }, worker)
  }
  await work(first.id, { wait: 3 * second, take: 90 * second })
  // The second could be claimed when the first was completed, not when it was created.
  await work(second_.id, { wait: 20 * second, take: 40 * minute })
  const { taskDurations, claimWaits, tasks } = await metrics()
  expect(tasks.completed).toBe(2)
  expect(taskDurations).toMatchObject({ count: 2, sum: 2490 })
  expect([upTo(taskDurations, 120), upTo(taskDurations, 3600)]).toEqual([1, 1])
  expect(claimWaits).toMatchObject({ count: 2, sum: 23 })
  expect([upTo(claimWaits, 5), upTo(claimWaits, 60)]).toEqual([1, 1])
})

it('the tasks that can be claimed are counted, with the longest wait', async () => {
  const { perform, task, agent, pass, metrics } = await open()
  const worker = await agent('a')
  const first = await task()
  await task({ dependencies: [first.id] })
  await task({ personaId: 'tester' })
  pass(minute)
  expect((await metrics()).claimable).toEqual({ tasks: 2, longestWait: 60 })
  await perform(cancelTask, { taskId: 3 })
  await perform(claimTask, { taskId: first.id }, worker)
  await perform(failTask, { taskId: first.id, errorMessage: 'no' }, worker)
  expect((await metrics()).claimable).toEqual({ tasks: 0, longestWait: 0 })
  // Its retry is due after 30 s, and has waited for 10 s since then.
  pass(40 * second)
  expect((await metrics()).claimable).toEqual({ tasks: 1, longestWait: 10 })
})

it('attempts are counted by kind and outcome, with their usage', async () => {
  const { perform, task, metrics } = await open()
  await task()
  await task()
  const { started } = await perform(dispatch, { maxParallel: 2 }, system())
  const agentId = started[0]!.agentId
  await perform(recordLaunch, { agentId, run: 1, pid: 4711, startedAt: '1', bootId: 'b', startsTask: true }, system())
  const report = {
    model: 'm',
    session: null,
    tokensIn: 1000,
    tokensOut: 200,
    tokensCached: 0,
    costUsd: 0.25,
    said: null,
    problem: null,
  }
  await perform(settleRun, { agentId, run: 1, exitCode: 1, verdict: { kind: 'failed', error: 'no' }, report }, system())
  expect((await metrics()).attempts).toEqual([
    { kind: 'claude', outcome: null, attempts: 1, tokensIn: 0, tokensOut: 0, costUsd: 0 },
    { kind: 'claude', outcome: 'failed', attempts: 1, tokensIn: 1000, tokensOut: 200, costUsd: 0.25 },
  ])
})

it('agents are counted by group, with the age of the oldest heartbeat, without people and ended agents', async () => {
  const { agent, pass, metrics } = await open()
  await agent('a')
  pass(minute)
  await agent('b')
  await agent('c', { personaId: 'planner' })
  pass(5 * second)
  expect((await metrics()).agents).toEqual([
    { personaId: 'implementer', kind: 'external', status: 'active', agents: 2, silentFor: 65 },
    { personaId: 'planner', kind: 'external', status: 'active', agents: 1, silentFor: 5 },
  ])
})

it('integrations and open requests are counted by state', async () => {
  const { perform, task, agent, worktree, metrics } = await open()
  await worktree('auth')
  await perform(requestIntegration, { worktreeName: 'auth' })
  const worker = await agent('a')
  const { id } = await task()
  await perform(claimTask, { taskId: id }, worker)
  await perform(askHuman, { question: 'Which port?' }, worker)
  expect(await metrics()).toMatchObject({
    integrations: { requested: 1, ready: 0 },
    openRequests: { permission: 0, question: 1, denial: 0 },
  })
})
