import { describe, expect, it } from 'vitest'
import { perform } from '../../../src/operations/door/perform.ts'
import { changeHost } from '../../../src/operations/hosts/change-host.ts'
import { endWorker } from '../../../src/operations/hosts/take-host.ts'
import { listHosts } from '../../../src/operations/hosts/list-hosts.ts'
import { recordLaunch } from '../../../src/operations/loops/record-launch.ts'
import { takeRun } from '../../../src/operations/loops/take-run.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel-task.ts'
import { B, launch, onB, twoHosts, worktreeOn } from '../../support/board-of-hosts.ts'
import { minute, type World } from '../../support/core.ts'

const ofB = async (world: World) => (await world.perform(listHosts, {})).find(({ id }) => id === B)!

describe('a host whose worker ends', () => {
  it('is gone if it was drained and nothing is left on it, so that it is never lost', async () => {
    const { world, ofB: actor } = await twoHosts()
    await worktreeOn(world, 'b')
    await world.perform(changeHost, { host: 'b', to: 'drain' })
    expect(await world.perform(endWorker, { hostId: B }, actor)).toEqual({ gone: true })
    world.pass(10 * minute)
    expect(await ofB(world)).toMatchObject({ state: 'draining', beatAt: null, silentSince: null })
  })

  it('is silent if it was not drained', async () => {
    const { world, ofB: actor } = await twoHosts()
    expect(await world.perform(endWorker, { hostId: B }, actor)).toEqual({ gone: false })
    world.pass(minute)
    expect((await ofB(world)).silentSince).not.toBeNull()
  })

  it('is silent while an agent runs there, or a task waits in its worktrees', async () => {
    const { world, cores, ofB: actor, agentId } = await onB()
    await perform(cores[B]!, takeRun, { agentId, run: 1 }, actor)
    await world.perform(recordLaunch, { agentId, run: 1, ...launch }, actor)
    await world.perform(changeHost, { host: 'b', to: 'drain' })
    expect(await world.perform(endWorker, { hostId: B }, actor)).toEqual({ gone: false })
    const other = await twoHosts()
    await worktreeOn(other.world, 'b')
    await other.world.task({ targetWorktree: 'w' })
    await other.world.perform(changeHost, { host: 'b', to: 'drain' })
    expect(await other.world.perform(endWorker, { hostId: B }, other.ofB)).toEqual({ gone: false })
    await other.world.perform(cancelTask, { taskId: 1 })
    expect(await other.world.perform(endWorker, { hostId: B }, other.ofB)).toEqual({ gone: true })
  })
})
