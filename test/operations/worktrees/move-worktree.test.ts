import { describe, expect, it } from 'vitest'
import { person, system } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { perform } from '../../../src/operations/door/perform.ts'
import { changeHost } from '../../../src/operations/hosts/change-host.ts'
import { loseHost } from '../../../src/operations/hosts/lose-host.ts'
import { returnHost } from '../../../src/operations/hosts/return-host.ts'
import { setRemote } from '../../../src/operations/hosts/set-remote.ts'
import { recordPushed } from '../../../src/operations/loops/record-on-remote.ts'
import { dispatch } from '../../../src/operations/loops/dispatch.ts'
import { readHeld } from '../../../src/operations/loops/read-held.ts'
import { readWishes } from '../../../src/operations/loops/read-wishes.ts'
import { recordWorktree } from '../../../src/operations/loops/record-worktree.ts'
import { continueStranded } from '../../../src/operations/worktrees/continue-stranded.ts'
import { moveWorktree, readMove, refuseMove, requestMove } from '../../../src/operations/worktrees/move-worktree.ts'
import { requestIntegration } from '../../../src/operations/integration/request-integration.ts'
import { B, onB, twoHosts, worktreeOn } from '../../support/board-of-hosts.ts'
import { refusal, second } from '../../support/core.ts'

const oid = 'b'.repeat(40)

type Hosts = Awaited<ReturnType<typeof twoHosts>>

/** A worktree with a waiting task on host B, of hosts that exchange code. */
const movable = async () => {
  const hosts = await twoHosts()
  const { world } = hosts
  await world.perform(setRemote, { url: 'git@git.example.net:shop' })
  await worktreeOn(world, 'b')
  await world.task({ targetWorktree: 'w' })
  return hosts
}

const move = ({ cores }: Pick<Hosts, 'cores'>, host: string) =>
  perform(cores[LOCAL]!, requestMove, { worktreeName: 'w', host }, person)

const why = async (hosts: Pick<Hosts, 'cores'>, host: string): Promise<string> =>
  (await refusal(move(hosts, host))).message

describe('a worktree that moves', () => {
  it('is pushed by its host first, then another one continues it with its tasks, and the old one is archived', async () => {
    const { world, cores } = await movable()
    expect(await move({ cores }, 'local')).toEqual({
      ...{ name: 'w', from: 'b', to: 'local', successor: null },
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
      ...{ isWaiting: false, problem: 'It has uncommitted files.', successor: null },
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
      ...{ isWaiting: false, problem: 'Host local could not continue it: The disk is full.', successor: null },
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
})
