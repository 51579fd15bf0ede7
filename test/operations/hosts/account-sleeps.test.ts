import { expect, it } from 'vitest'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { system } from '../../../src/domain/agent/actor.ts'
import { later } from '../../../src/domain/words/time.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { readCosts } from '../../../src/operations/budgets/costs.ts'
import { changeHost } from '../../../src/operations/hosts/membership.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { recordLaunch, takeRun } from '../../../src/operations/runs/processes.ts'
import { settleRun } from '../../../src/operations/runs/ends.ts'
import { readBoard } from '../../../src/operations/screens/board.ts'
import { startSession } from '../../../src/operations/sessions/start.ts'
import { listTasks } from '../../../src/operations/tasks/list.ts'
import { retryTask } from '../../../src/operations/tasks/retry.ts'
import { B, launch, onB, worktreeOn } from '../../support/board-of-hosts.ts'
import { minute } from '../../support/core.ts'

/** An agent of host B has reported that the quota of its account is used up for an hour. */
const usedUpOnB = async () => {
  const hosts = await onB()
  const { world, cores, ofB, agentId } = hosts
  const until = later(world.now(), 60 * minute)
  await perform(cores[B]!, takeRun, { agentId, run: 1 }, ofB)
  await perform(cores[B]!, recordLaunch, { agentId, run: 1, ...launch }, ofB)
  await perform(
    cores[B]!,
    settleRun,
    {
      ...{ agentId, run: 1, exitCode: 1 },
      verdict: { kind: 'unavailable', why: 'over its limit', resetsAt: until },
    },
    ofB,
  )
  const starts = async (): Promise<readonly number[]> =>
    (await world.perform(dispatch, { maxParallel: 8 }, system())).started.map(({ taskId }) => taskId)
  return { ...hosts, until, starts }
}

it('the used-up quota of one host puts no kind to sleep on another one', async () => {
  const { world, until, starts } = await usedUpOnB()
  await worktreeOn(world, LOCAL, 'v')
  await world.task({ targetWorktree: 'v' })
  await world.task({})
  await world.task({ targetWorktree: 'w' })
  expect(await starts()).toEqual([2, 3])
  const sleeps = (await world.perform(listTasks, {})).map(({ sleep }) => sleep)
  expect(sleeps).toEqual([{ kind: 'claude', until, host: 'b' }, null, null, { kind: 'claude', until, host: 'b' }])
  expect((await world.perform(listTasks, { where: 'is:sleeping' })).map(({ id }) => id)).toEqual([1, 4])
  const why: unknown = expect.stringMatching(/^it is asleep until .* \(claude's quota on host b\)$/)
  expect((await world.perform(readBoard, {})).held).toEqual([
    { taskId: 1, why },
    { taskId: 4, why },
  ])
})

it('a task that gets its own worktree goes to a host whose account has some quota left, and sleeps if none has', async () => {
  const { world, starts } = await usedUpOnB()
  await world.perform(changeHost, { host: LOCAL, account: 'anna' })
  for (let n = 0; n < 3; n++) await world.task({ targetWorktree: 'auto' })
  expect(await starts()).toEqual([2, 3, 4])
  const worktrees = (await world.perform(readBoard, {})).worktrees.filter(({ name }) => name !== 'w')
  expect(worktrees.map(({ path }) => path.startsWith('/b/'))).toEqual([false, false, false])
  // Both are the account of B now, whose quota is used up.
  await world.perform(changeHost, { host: LOCAL, account: B })
  await world.task({ targetWorktree: 'auto' })
  expect(await starts()).toEqual([])
  expect((await world.perform(listTasks, { where: 'is:sleeping' })).map(({ id }) => id)).toEqual([1, 5])
  expect((await world.perform(listTasks, {})).find(({ id }) => id === 5)!.sleep).toMatchObject({ kind: 'claude' })
})

it('a person wakes the kind on the host of the task only, and the cost names the hosts of an account', async () => {
  const { world, until, starts } = await usedUpOnB()
  await world.perform(startSession, {})
  const why = 'over its limit'
  expect((await world.perform(readCosts, {})).sleeps).toEqual([{ kind: 'claude', until, why, hosts: ['b'] }])
  await world.perform(retryTask, { taskId: 1 })
  expect((await world.perform(listTasks, {})).map(({ sleep, notBefore }) => [sleep, notBefore])).toEqual([[null, null]])
  expect(await starts()).toEqual([1])
  expect((await world.perform(readCosts, {})).sleeps).toEqual([])
})
