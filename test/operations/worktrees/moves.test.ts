import { describe, expect, it } from 'vitest'
import { changeHost as changeHostRow } from '../../../src/db/hosts.ts'
import { person, system } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { listAgents } from '../../../src/operations/agents/list.ts'
import { heartbeatAndGetTasks } from '../../../src/operations/agents/offers.ts'
import { spawnAgent, terminateAgent } from '../../../src/operations/agents/spawn.ts'
import { takeOver } from '../../../src/operations/agents/take-over.ts'
import { loseHost } from '../../../src/operations/failover/lost-hosts.ts'
import { returnHost } from '../../../src/operations/failover/returned-hosts.ts'
import { continueStranded, readStranded } from '../../../src/operations/failover/stranded.ts'
import { recordPushed } from '../../../src/operations/hosts/locations.ts'
import { changeHost, joinHost, makeJoinCode } from '../../../src/operations/hosts/membership.ts'
import { setRemote } from '../../../src/operations/hosts/remote.ts'
import { endWorker, takeHost } from '../../../src/operations/hosts/worker.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { recordStop } from '../../../src/operations/runs/ends.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { readWishes } from '../../../src/operations/supervision/wishes.ts'
import { claimTask, failTask } from '../../../src/operations/tasks/claims.ts'
import { readHeld } from '../../../src/operations/tasks/held-tasks.ts'
import { retryTask } from '../../../src/operations/tasks/retry.ts'
import { recordWorktree } from '../../../src/operations/worktrees/building.ts'
import { moveWorktree, readMove, refuseMove, requestMove } from '../../../src/operations/worktrees/moves.ts'
import { B, onB, twoHosts, worktreeOn } from '../../support/board-of-hosts.ts'
import { refusal, second } from '../../support/core.ts'

const oid = 'b'.repeat(40)

type Hosts = Awaited<ReturnType<typeof twoHosts>>

/** A worktree with a waiting task on host B, of hosts that exchange code. */
const movable = async (changes: Parameters<typeof twoHosts>[0] = {}) => {
  const hosts = await twoHosts(changes)
  const { world } = hosts
  await world.perform(setRemote, { url: 'git@git.example.net:shop' })
  await worktreeOn(world, 'b')
  await world.task({ targetWorktree: 'w' })
  return hosts
}

/** The same, when B has pushed it and host `local` builds the worktree that continues it. */
const building = async () => {
  const hosts = await movable()
  const { world, cores } = hosts
  await move(hosts, 'local')
  await world.perform(recordPushed, { worktree: 'w', oid }, system())
  await perform(cores[B]!, moveWorktree, { worktreeName: 'w', oid }, system())
  return hosts
}

/** The same with the hosts changed: a worktree on the first host moves to B. */
const toB = async ({ tasks = 0 } = {}) => {
  const hosts = await twoHosts()
  const { world, cores } = hosts
  await world.perform(setRemote, { url: 'git@git.example.net:shop' })
  await worktreeOn(world, 'local')
  for (let n = 0; n < tasks; n++) await world.task({ targetWorktree: 'w' })
  await move(hosts, 'b')
  const push = async () => {
    await world.perform(recordPushed, { worktree: 'w', oid }, system())
    return perform(cores[LOCAL]!, moveWorktree, { worktreeName: 'w', oid }, system())
  }
  const stranded = async () => (await perform(cores[LOCAL]!, readStranded, {}, system())).stranded
  const again = () => perform(cores[LOCAL]!, continueStranded, {}, system())
  return { ...hosts, push, stranded, again }
}

const move = ({ cores }: Pick<Hosts, 'cores'>, host: string) =>
  perform(cores[LOCAL]!, requestMove, { worktreeName: 'w', host }, person)

const why = async (hosts: Pick<Hosts, 'cores'>, host: string): Promise<string> =>
  (await refusal(move(hosts, host))).message

describe('a worktree that moves', () => {
  it('is pushed by its host first, then another one continues it with its tasks, and the old one is archived', async () => {
    const { world, cores } = await movable()
    expect(await move({ cores }, 'local')).toEqual({
      ...{ name: 'w', from: 'b', to: 'local', successor: null, stays: false, ended: null },
    })
    expect((await perform(cores[B]!, readWishes, {}, system())).worktrees).toMatchObject([{ name: 'w', moves: true }])
    // An earlier push lacks its last commits.
    await world.perform(recordPushed, { worktree: 'w', oid: 'a'.repeat(40) }, system())
    expect(await perform(cores[B]!, moveWorktree, { worktreeName: 'w', oid }, system())).toMatchObject({
      successor: null,
    })
    await world.perform(recordPushed, { worktree: 'w', oid }, system())
    expect(await perform(cores[B]!, moveWorktree, { worktreeName: 'w', oid }, system())).toEqual({
      ...{ name: 'w', host: 'local', successor: 'w-2', tasks: [1] },
    })
    const ofLocal = await perform(cores[LOCAL]!, readWishes, {}, system())
    expect(ofLocal.worktrees).toMatchObject([
      { name: 'w-2', branch: 'feature/w-2', continues: 'w', folder: 'building' },
    ])
    expect((await perform(cores[B]!, readWishes, {}, system())).worktrees).toEqual([])
    expect(await world.perform(readMove, { worktreeName: 'w' })).toMatchObject({ isWaiting: true, successor: 'w-2' })
    await world.perform(recordWorktree, { name: 'w-2', baseOid: oid, error: null }, system())
    expect(await world.perform(readMove, { worktreeName: 'w' })).toMatchObject({ isWaiting: false })
    const ofB = await perform(cores[B]!, readWishes, {}, system())
    expect(ofB.worktrees).toMatchObject([{ name: 'w', folder: 'leaving', reason: 'moved to host local', moves: false }])
    expect(await world.show(1)).toMatchObject({ status: 'pending', targetWorktree: 'w-2' })
  })

  it('gets no agent from the request on, whose commits the push of its host could miss', async () => {
    const { world, cores } = await movable()
    await move({ cores }, 'local')
    const dispatched = async () => (await perform(cores[LOCAL]!, dispatch, { maxParallel: 8 }, system())).started
    expect(await dispatched()).toEqual([])
    expect(await perform(cores[LOCAL]!, readHeld, {}, system())).toEqual([
      { taskId: 1, why: 'it works in w, which moves to host local' },
    ])
    await world.perform(refuseMove, { worktreeName: 'w', problem: 'It has uncommitted files.' }, system())
    expect(await dispatched()).toMatchObject([{ taskId: 1, worktree: 'w' }])
  })

  it('stays where it is if its host cannot push all of it, and the board says why', async () => {
    const { world, cores } = await movable()
    await move({ cores }, 'local')
    await world.perform(refuseMove, { worktreeName: 'w', problem: 'It has uncommitted files.' }, system())
    expect(await world.perform(readMove, { worktreeName: 'w' })).toEqual({
      ...{ isWaiting: false, problem: 'It has uncommitted files.', successor: null, to: null },
    })
    expect(await world.show(1)).toMatchObject({ targetWorktree: 'w' })
  })

  it('stays where it is with its tasks if the other host cannot build the one that continues it', async () => {
    const { world, cores } = await movable()
    await move({ cores }, 'local')
    await world.perform(recordPushed, { worktree: 'w', oid }, system())
    await perform(cores[B]!, moveWorktree, { worktreeName: 'w', oid }, system())
    await world.perform(recordWorktree, { name: 'w-2', baseOid: null, error: 'The disk is full.' }, system())
    expect(await world.perform(readMove, { worktreeName: 'w' })).toEqual({
      ...{
        isWaiting: false,
        problem: 'Host local could not continue it: The disk is full.',
        successor: null,
        to: null,
      },
    })
    expect(await world.show(1)).toMatchObject({ status: 'pending', targetWorktree: 'w' })
    const ofB = await perform(cores[B]!, readWishes, {}, system())
    expect(ofB.worktrees).toMatchObject([{ name: 'w', folder: 'ready', status: 'active', moves: false }])
    expect((await perform(cores[LOCAL]!, dispatch, { maxParallel: 8 }, system())).started).toMatchObject([
      { taskId: 1, worktree: 'w' },
    ])
  })

  it('does not move a second time once another one continues it, also if the wish is from before', async () => {
    const { world, cores, beat } = await movable()
    await move({ cores }, 'local')
    await world.perform(loseHost, { host: 'b' })
    await perform(cores[LOCAL]!, continueStranded, {}, system())
    await world.perform(recordWorktree, { name: 'w-2', baseOid: oid, error: null }, system())
    await world.perform(returnHost, { hostId: B }, system())
    await beat(B)
    expect((await perform(cores[B]!, readWishes, {}, system())).worktrees).toMatchObject([{ name: 'w', moves: false }])
    expect(await why({ cores }, 'local')).toBe('Worktree w-2 continues w already. Move that one.')
  })

  it('has no agent and no open integration', async () => {
    const { world, cores, agentId } = await onB()
    await world.perform(setRemote, { url: 'git@git.example.net:shop' })
    expect(await why({ cores }, 'local')).toBe(
      `Agent ${agentId} works in w. Let it finish, or terminate it, then move the worktree.`,
    )
    const other = await twoHosts()
    await other.world.perform(setRemote, { url: 'git@git.example.net:shop' })
    await worktreeOn(other.world, 'b')
    await perform(other.cores[LOCAL]!, requestIntegration, { worktreeName: 'w' }, person)
    expect(await why(other, 'local')).toBe('The integration of w is open. Approve or reject it first.')
  })

  it('goes to another host that builds worktrees now, through the git remote', async () => {
    const { world, cores } = await movable()
    expect(await why({ cores }, 'b')).toBe('Worktree w is on host b already.')
    await world.perform(changeHost, { host: LOCAL, to: 'drain' })
    expect(await why({ cores }, 'local')).toContain('No worktree is built on host local now')
    world.pass(40 * second)
    await world.perform(changeHost, { host: LOCAL, to: 'resume' })
    expect(await why({ cores }, 'local')).toContain('has been silent since')
    const apart = await twoHosts()
    await worktreeOn(apart.world, 'b')
    expect(await why(apart, 'local')).toContain("set a git remote with 'aiswarm fleet remote URL' first")
  })

  it('takes its failed tasks along, which can be retried there', async () => {
    const { world, cores } = await movable({ session: { maxParallel: 8, freeDisk: 0, maxRetries: 0 } })
    await world.agent('guest')
    await world.perform(claimTask, { taskId: 1, agentId: 'guest' })
    await world.perform(failTask, { taskId: 1, agentId: 'guest', errorMessage: 'no' })
    await move({ cores }, 'local')
    await world.perform(recordPushed, { worktree: 'w', oid }, system())
    await perform(cores[B]!, moveWorktree, { worktreeName: 'w', oid }, system())
    expect(await world.perform(retryTask, { taskId: 1 })).toMatchObject({ status: 'pending', targetWorktree: 'w-2' })
  })

  it('gets no agent either that registered itself, and is offered to none', async () => {
    const { world, cores } = await movable()
    await world.agent('guest')
    const claim = () => world.perform(claimTask, { taskId: 1, agentId: 'guest' })
    const offered = async () =>
      (await world.perform(heartbeatAndGetTasks, { agentId: 'guest' })).tasks.map(({ id }) => id)
    expect(await offered()).toEqual([1])
    await move({ cores }, 'local')
    expect(await refusal(claim())).toMatchObject({
      code: 'blocked',
      message: 'Task 1 belongs in worktree w, which moves to host local; it can be claimed when the move has ended.',
    })
    expect((await refusal(world.perform(spawnAgent, { personaId: 'implementer', taskId: 1 }))).message).toContain(
      'which moves to host local',
    )
    expect(await offered()).toEqual([])
    await world.perform(refuseMove, { worktreeName: 'w', problem: 'It has uncommitted files.' }, system())
    expect(await offered()).toEqual([1])
    expect(await claim()).toMatchObject({ status: 'claimed' })
  })

  it('keeps its conversations, which no person takes over meanwhile', async () => {
    const { world, cores, agentId } = await onB()
    await world.perform(setRemote, { url: 'git@git.example.net:shop' })
    await world.perform(terminateAgent, { agentId })
    await world.perform(recordStop, { agentId, run: 1, exitCode: null }, system())
    await move({ cores }, 'local')
    expect((await refusal(world.perform(takeOver, { agentId }))).message).toContain('which moves to host local')
  })

  it('moves to the host that was named last', async () => {
    const { world, cores } = await movable()
    const { secret } = await world.perform(makeJoinCode, {})
    await world.perform(joinHost, { secret, hostId: 'cccccccc', name: 'c', machine: 'n', root: '/c/shop' })
    const worker = { holder: 'of c', pid: 1, ttl: 60 * second, root: '/c/shop', program: '1', kinds: ['claude'] }
    await world.perform(takeHost, { hostId: 'cccccccc', ...worker }, system())
    await move({ cores }, 'c')
    await move({ cores }, 'local')
    expect(await world.perform(readMove, { worktreeName: 'w' })).toMatchObject({ isWaiting: true, to: 'local' })
    await world.perform(recordPushed, { worktree: 'w', oid }, system())
    expect(await perform(cores[B]!, moveWorktree, { worktreeName: 'w', oid }, system())).toMatchObject({
      host: 'local',
    })
    expect(await why({ cores }, 'c')).toBe(
      "Host local is building w-2, which continues w. Wait until it is built, or undo the move with 'aiswarm worktree move w --host b'.",
    )
  })

  it('is not asked of a host that is lost or whose worker never ran, which could not push it', async () => {
    const { world, cores } = await movable()
    await world.perform(loseHost, { host: 'b' })
    expect(await why({ cores }, 'local')).toBe(
      'Host b was declared lost, so it cannot push w. If tasks are left in w, another host continues it from what was pushed.',
    )
    await world.perform(returnHost, { hostId: B }, system())
    await world.core.store.write((db) => changeHostRow(db, B, { states: ['up'] }, { beat_at: null }))
    expect(await why({ cores }, 'local')).toBe(
      "No worker runs on host b, which would have to push w. Start 'aiswarm worker' there, then move it.",
    )
  })

  it('keeps its drained host from being gone before it has pushed', async () => {
    const { world, cores } = await twoHosts()
    await world.perform(setRemote, { url: 'git@git.example.net:shop' })
    await worktreeOn(world, 'b')
    await move({ cores }, 'local')
    await world.perform(changeHost, { host: 'b', to: 'drain' })
    expect(await world.perform(endWorker, { hostId: B }, system())).toEqual({ gone: false })
    await move({ cores }, 'b')
    expect(await world.perform(endWorker, { hostId: B }, system())).toEqual({ gone: true })
  })
})

describe('a move that is undone', () => {
  const stays = { name: 'w', from: 'b', to: 'b', successor: null, stays: true }

  it('before its host has pushed leaves the worktree as it was', async () => {
    const { world, cores } = await movable()
    await move({ cores }, 'local')
    expect(await move({ cores }, 'b')).toEqual({ ...stays, ended: null })
    await world.perform(recordPushed, { worktree: 'w', oid }, system())
    expect(await perform(cores[B]!, moveWorktree, { worktreeName: 'w', oid }, system())).toMatchObject({
      successor: null,
    })
    expect(await world.perform(readMove, { worktreeName: 'w' })).toEqual({
      ...{ isWaiting: false, problem: null, successor: null, to: null },
    })
    expect((await perform(cores[LOCAL]!, dispatch, { maxParallel: 8 }, system())).started).toMatchObject([
      { taskId: 1, worktree: 'w' },
    ])
  })

  it('while the other host builds gives the tasks back, and that host removes what it has built', async () => {
    const { world, cores } = await building()
    const { started } = await perform(cores[LOCAL]!, dispatch, { maxParallel: 8 }, system())
    expect(started).toMatchObject([{ worktree: 'w-2' }])
    expect(await move({ cores }, 'b')).toEqual({ ...stays, ended: 'w-2' })
    expect(await world.show(1)).toMatchObject({ status: 'pending', targetWorktree: 'w', retryCount: 0 })
    expect((await world.perform(listAgents, {})).map(({ id }) => id)).toEqual([])
    const [ofLocal, ofB] = [LOCAL, B].map((id) => perform(cores[id]!, readWishes, {}, system()))
    expect((await ofLocal!).worktrees).toMatchObject([
      { name: 'w-2', folder: 'leaving', baseOid: null, continues: 'w' },
    ])
    expect((await ofB!).worktrees).toMatchObject([{ name: 'w', folder: 'ready', status: 'active', moves: false }])
    // A builder that did not know it yet changes nothing.
    const built = { name: 'w-2', baseOid: oid, error: null }
    expect(await world.perform(recordWorktree, built, system())).toMatchObject({ recorded: false })
    await move({ cores }, 'local')
    await world.perform(recordPushed, { worktree: 'w', oid }, system())
    expect(await perform(cores[B]!, moveWorktree, { worktreeName: 'w', oid }, system())).toMatchObject({
      successor: 'w-3',
    })
  })

  it('is refused once the other one is built', async () => {
    const { world, cores } = await building()
    await world.perform(recordWorktree, { name: 'w-2', baseOid: oid, error: null }, system())
    expect(await why({ cores }, 'b')).toBe('Worktree w is already discarded.')
  })
})

describe('a move to or from a host that is lost meanwhile', () => {
  it.each([0, 1])('ends before the push, and the worktree stays with its tasks: %i', async (tasks) => {
    const { world, stranded, again } = await toB({ tasks })
    expect(await stranded()).toBe(false)
    await world.perform(loseHost, { host: 'b' })
    expect(await stranded()).toBe(true)
    expect(await again()).toMatchObject({ stayed: [{ worktree: 'w', ended: null }], continued: [] })
    expect(await world.perform(readMove, { worktreeName: 'w' })).toMatchObject({
      ...{ isWaiting: false, problem: 'Host b was declared lost, so w does not move there.', successor: null },
    })
    expect(await stranded()).toBe(false)
  })

  it.each([0, 1])('ends while that builds, and the worktree stays with its tasks: %i', async (tasks) => {
    const { world, cores, beat, push, stranded, again } = await toB({ tasks })
    expect(await push()).toMatchObject({ successor: 'w-2' })
    await world.perform(loseHost, { host: 'b' })
    expect(await stranded()).toBe(true)
    expect(await again()).toMatchObject({ stayed: [{ worktree: 'w', ended: 'w-2' }], continued: [] })
    expect(await stranded()).toBe(false)
    expect(await world.perform(readMove, { worktreeName: 'w' })).toMatchObject({
      ...{ isWaiting: false, problem: 'Host b was declared lost, so w does not move there.', successor: null },
    })
    expect((await perform(cores[LOCAL]!, readWishes, {}, system())).worktrees).toMatchObject([
      { name: 'w', folder: 'ready', status: 'active' },
    ])
    for (let id = 1; id <= tasks; id++) expect(await world.show(id)).toMatchObject({ targetWorktree: 'w' })
    await world.perform(returnHost, { hostId: B }, system())
    await beat(B)
    // It removes what it may have begun.
    expect((await perform(cores[B]!, readWishes, {}, system())).worktrees).toMatchObject([
      { name: 'w-2', folder: 'leaving' },
    ])
  })

  it('ends if the host of the worktree is lost before it has pushed', async () => {
    const { world, cores } = await twoHosts()
    await world.perform(setRemote, { url: 'git@git.example.net:shop' })
    await worktreeOn(world, 'b')
    await move({ cores }, 'local')
    await world.perform(loseHost, { host: 'b' })
    await perform(cores[LOCAL]!, continueStranded, {}, system())
    expect(await world.perform(readMove, { worktreeName: 'w' })).toMatchObject({
      ...{ isWaiting: false, problem: 'Host b was declared lost before it had pushed all of w.' },
    })
  })

  it('continues if the host of the worktree is lost after it has pushed', async () => {
    const { world, cores } = await building()
    await world.perform(loseHost, { host: 'b' })
    expect(await perform(cores[LOCAL]!, continueStranded, {}, system())).toMatchObject({ stayed: [], continued: [] })
    await world.perform(recordWorktree, { name: 'w-2', baseOid: oid, error: null }, system())
    expect(await world.perform(readMove, { worktreeName: 'w' })).toMatchObject({ isWaiting: false, successor: 'w-2' })
  })
})
