import { describe, expect, it } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { heartbeat } from '../../../src/operations/agents/heartbeat.ts'
import { registerAgent } from '../../../src/operations/agents/register-agent.ts'
import { perform } from '../../../src/operations/door/perform.ts'
import { listHosts } from '../../../src/operations/hosts/list-hosts.ts'
import { loseSilentHost } from '../../../src/operations/hosts/lose-host.ts'
import { recordLaunch } from '../../../src/operations/loops/record-launch.ts'
import { sweep } from '../../../src/operations/loops/sweep.ts'
import { takeRun } from '../../../src/operations/loops/take-run.ts'
import { claimTask } from '../../../src/operations/tasks/claim-task.ts'
import { B, launch, onB, twoHosts } from '../../support/board-of-hosts.ts'
import { minute, refused, second } from '../../support/core.ts'
import { createWorktreeOn } from '../../../src/operations/worktrees/create-worktree.ts'
import { continueStranded, readStranded } from '../../../src/operations/worktrees/continue-stranded.ts'
import { loseHost } from '../../../src/operations/hosts/lose-host.ts'
import { returnHost } from '../../../src/operations/hosts/return-host.ts'
import { setRemote } from '../../../src/operations/hosts/set-remote.ts'
import { settleReturn } from '../../../src/operations/hosts/settle-return.ts'
import { readWishes } from '../../../src/operations/loops/read-wishes.ts'
import { readBoard } from '../../../src/operations/screens/read-board.ts'
import { changeHost } from '../../../src/operations/hosts/change-host.ts'
import { dispatch } from '../../../src/operations/loops/dispatch.ts'

const beatOf = async ({ world }: Awaited<ReturnType<typeof twoHosts>>, id: string): Promise<string> =>
  (await world.perform(listHosts, {})).find((host) => host.id === id)!.beatAt!

describe('a host that is silent', () => {
  it('is lost after the time in the settings, and its task is pending without a used retry', async () => {
    const hosts = await onB({ fleet: { silentAfter: 10 * second, lostAfter: minute } })
    const { world, cores, ofB, agentId } = hosts
    await perform(cores[B]!, takeRun, { agentId, run: 1 }, ofB)
    await world.perform(recordLaunch, { agentId, run: 1, ...launch }, ofB)
    const beatAt = await beatOf(hosts, B)
    world.pass(59 * second)
    expect(await world.perform(loseSilentHost, { hostId: B, beatAt }, system())).toMatchObject({ lost: false })
    world.pass(2 * second)
    expect(await world.perform(loseSilentHost, { hostId: B, beatAt }, system())).toMatchObject({
      ...{ lost: true, epoch: 2, ended: [agentId] },
    })
    expect(await world.show(1)).toMatchObject({ status: 'pending', retryCount: 0 })
  })

  it('is not lost if it was heard of after the look of the process that plans', async () => {
    const hosts = await twoHosts()
    const beatAt = await beatOf(hosts, B)
    hosts.world.pass(6 * minute)
    await hosts.beat(B)
    hosts.world.pass(6 * minute)
    expect(await hosts.world.perform(loseSilentHost, { hostId: B, beatAt }, system())).toMatchObject({ lost: false })
  })

  it('is declared lost only by the process that plans for the board', async () => {
    const hosts = await twoHosts()
    const beatAt = await beatOf(hosts, B)
    hosts.world.pass(6 * minute)
    expect(await refused(hosts.world.perform(loseSilentHost, { hostId: B, beatAt }, hosts.ofB))).toBe(
      'stale_supervisor',
    )
  })

  it('is not lost if it has the main checkout', async () => {
    const hosts = await twoHosts()
    const beatAt = await beatOf(hosts, LOCAL)
    hosts.world.pass(6 * minute)
    expect(await hosts.world.perform(loseSilentHost, { hostId: LOCAL, beatAt }, system())).toMatchObject({
      lost: false,
    })
  })

  it('keeps what agents there hold that registered themselves, until it is lost', async () => {
    const { world, cores } = await twoHosts()
    const there = cores[B]!
    await perform(there, registerAgent, { id: 'guest', personaId: 'implementer' }, system())
    await world.task()
    await world.perform(claimTask, { taskId: 1, agentId: 'guest' }, system())
    await world.perform(heartbeat, { agentId: 'guest' }, system())
    world.pass(2 * minute)
    await world.perform(sweep, {}, system())
    expect(await world.show(1)).toMatchObject({ status: 'claimed', assignedAgentId: 'guest' })
    world.pass(4 * minute)
    await world.perform(sweep, {}, system())
    expect(await world.show(1)).toMatchObject({ status: 'pending' })
  })
})

describe('a worktree of a lost host', () => {
  /** Host B is lost while an agent works there; the hosts exchange code through a remote, if there is one. */
  const lost = async ({ remote = true } = {}) => {
    const hosts = await onB()
    if (remote) await hosts.world.perform(setRemote, { url: 'git@git.example.net:shop' })
    await hosts.world.perform(loseHost, { host: 'b' })
    return hosts
  }

  it('is continued elsewhere under the same names with a number, and its tasks work there', async () => {
    const { world, cores } = await lost()
    expect(await perform(cores[LOCAL]!, continueStranded, {}, system())).toEqual({
      continued: [{ worktree: 'w', successor: 'w-2', host: 'local', tasks: [1] }],
    })
    const { worktrees } = await perform(cores[LOCAL]!, readWishes, {}, system())
    expect(worktrees).toMatchObject([{ name: 'w-2', branch: 'feature/w-2', continues: 'w', folder: 'building' }])
    expect(await world.show(1)).toMatchObject({ targetWorktree: 'w-2', retryCount: 0 })
    expect((await perform(cores[LOCAL]!, dispatch, { maxParallel: 8 }, system())).started).toHaveLength(1)
    // Once is enough.
    expect(await perform(cores[LOCAL]!, continueStranded, {}, system())).toEqual({ continued: [] })
  })

  it('is not continued without a remote, since nothing of it is anywhere else', async () => {
    const { cores } = await lost({ remote: false })
    expect(await perform(cores[LOCAL]!, continueStranded, {}, system())).toEqual({ continued: [] })
  })

  it('waits until another host has room, or its own is back', async () => {
    const { world, cores } = await lost()
    await world.perform(changeHost, { host: LOCAL, maxParallel: 0 })
    expect(await perform(cores[LOCAL]!, continueStranded, {}, system())).toEqual({ continued: [] })
    await world.perform(returnHost, { hostId: B }, system())
    await world.perform(changeHost, { host: LOCAL, maxParallel: 8 })
    expect(await perform(cores[LOCAL]!, continueStranded, {}, system())).toEqual({ continued: [] })
    expect(await world.show(1)).toMatchObject({ targetWorktree: 'w' })
  })

  it('waits until another host has the kinds of its tasks', async () => {
    const { world, cores, beat } = await lost()
    await beat(LOCAL, ['command'])
    const isStranded = async () => (await perform(cores[LOCAL]!, readStranded, {}, system())).stranded
    expect(await perform(cores[LOCAL]!, continueStranded, {}, system())).toEqual({ continued: [] })
    // A write would wake every process, every two seconds.
    expect(await isStranded()).toBe(false)
    await beat(LOCAL)
    expect(await isStranded()).toBe(true)
    expect((await perform(cores[LOCAL]!, continueStranded, {}, system())).continued).toMatchObject([{ tasks: [1] }])
    expect(await world.show(1)).toMatchObject({ targetWorktree: 'w-2' })
  })

  it('waits until another host has the label for which it was created', async () => {
    const { world, cores } = await twoHosts()
    await world.perform(setRemote, { url: 'git@git.example.net:shop' })
    await world.perform(createWorktreeOn, { name: 'w', branchName: 'w', labels: ['big'] })
    await world.task({ targetWorktree: 'w' })
    await world.perform(loseHost, { host: 'b' })
    expect(await perform(cores[LOCAL]!, continueStranded, {}, system())).toEqual({ continued: [] })
    await world.perform(changeHost, { host: LOCAL, labels: ['big'] })
    expect((await perform(cores[LOCAL]!, continueStranded, {}, system())).continued).toMatchObject([{ worktree: 'w' }])
  })

  it('is continued only by the process that plans for the board', async () => {
    const { world, ofB } = await twoHosts()
    expect(await refused(world.perform(continueStranded, {}, ofB))).toBe('stale_supervisor')
  })

  it('is shown to the person when its host is back, until it has been seen', async () => {
    const { world, cores } = await lost()
    await perform(cores[LOCAL]!, continueStranded, {}, system())
    const kept = [{ worktree: 'w', ref: 'refs/aiswarm/returned/b/w/x', problem: null, pushed: true }]
    await world.perform(returnHost, { hostId: B, kept }, system())
    const waits = async () => (await world.perform(readBoard, {})).attention.map(({ kind, text }) => ({ kind, text }))
    expect(await waits()).toEqual([
      { kind: 'returned', text: 'host b is back with 1 worktree from before it was lost: compare, keep or discard it' },
    ])
    await world.perform(settleReturn, { host: 'b' })
    expect(await waits()).toEqual([])
    expect(await refused(world.perform(settleReturn, { host: 'b' }))).toBe('invalid_state')
  })
})
