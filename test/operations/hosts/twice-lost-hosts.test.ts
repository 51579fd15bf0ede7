import { describe, expect, it } from 'vitest'
import { changeWorktree } from '../../../src/db/worktrees.ts'
import { person, system } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { listAgents } from '../../../src/operations/agents/list.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { changeHost, joinHost, makeJoinCode } from '../../../src/operations/hosts/membership.ts'
import { forgetHost } from '../../../src/operations/failover/forget-host.ts'
import { loseHost } from '../../../src/operations/failover/lost-hosts.ts'
import { returnHost } from '../../../src/operations/failover/returned-hosts.ts'
import { setRemote } from '../../../src/operations/hosts/remote.ts'
import { takeHost } from '../../../src/operations/hosts/worker.ts'
import { approveIntegration } from '../../../src/operations/integration/decisions.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { readHeld } from '../../../src/operations/tasks/held-tasks.ts'
import { readWishes } from '../../../src/operations/supervision/wishes.ts'
import { recordCandidate } from '../../../src/operations/integration/merge.ts'
import { recordVerification } from '../../../src/operations/integration/verification.ts'
import { recordWorktree } from '../../../src/operations/worktrees/building.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { continueStranded, readStranded } from '../../../src/operations/failover/stranded.ts'
import { createWorktree } from '../../../src/operations/worktrees/create.ts'
import { discardWorktree } from '../../../src/operations/worktrees/discard.ts'
import { getWorktreeStatus } from '../../../src/operations/worktrees/status.ts'
import { onB } from '../../support/board-of-hosts.ts'
import { minute, openCore, refusal } from '../../support/core.ts'

const oid = (letter: string): string => letter.repeat(40)

/** Host B is lost while an agent works in `w` there, and `w-2` continues it with its task. */
const continued = async () => {
  const hosts = await onB()
  const { world, cores, beat } = hosts
  await world.perform(setRemote, { url: 'git@git.example.net:shop' })
  const lose = async () => {
    await world.perform(loseHost, { host: 'b' })
    return again()
  }
  const again = async () => (await perform(cores[LOCAL]!, continueStranded, {}, system())).continued
  const back = async () => {
    world.pass(minute)
    await beat(LOCAL)
    const kept = [{ worktree: 'w', ref: 'refs/aiswarm/returned/b/w/x', problem: null, pushed: true }]
    await world.perform(returnHost, { hostId: 'bbbbbbbb', kept }, system())
    await beat('bbbbbbbb')
  }
  const build = (name: string) => world.perform(recordWorktree, { name, baseOid: oid('c'), error: null }, system())
  const fail = (name: string) =>
    world.perform(recordWorktree, { name, baseOid: null, error: 'make was not found.' }, system())
  const target = async (id: number) => (await world.show(id)).targetWorktree
  const status = async (name: string) => (await world.perform(getWorktreeStatus, { worktreeName: name }))[0]!
  expect(await lose()).toMatchObject([{ worktree: 'w', successor: 'w-2', tasks: [1] }])
  return { ...hosts, lose, again, back, build, fail, target, status }
}

const waits =
  'Worktree w-2 continues w and is not built yet; if it cannot be built, its tasks continue in w. Wait until it is built, or cancel them.'

describe('a worktree that another one should continue, while that is being built,', () => {
  const discard = { worktreeName: 'w', reason: 'It is done elsewhere.' }

  it('is not discarded, so that its tasks can come back', async () => {
    const { world, back, fail, target } = await continued()
    await back()
    expect((await refusal(world.perform(discardWorktree, discard))).message).toBe(waits)
    await fail('w-2')
    expect(await world.show(1)).toMatchObject({ status: 'pending' })
    expect(await target(1)).toBe('w')
  })

  it('is discarded once that is built, or has no open task', async () => {
    const built = await continued()
    await built.back()
    await built.build('w-2')
    expect(await built.world.perform(discardWorktree, discard)).toMatchObject({ status: 'discarded', cancelled: [] })
    const empty = await continued()
    await empty.back()
    await empty.world.perform(cancelTask, { taskId: 1 })
    expect(await empty.world.perform(discardWorktree, discard)).toMatchObject({ status: 'discarded' })
  })

  it('is merged only afterwards, with any approval', async () => {
    const { cores, back, build } = await continued()
    await back()
    const request = () => perform(cores[LOCAL]!, requestIntegration, { worktreeName: 'w' }, person)
    expect((await refusal(request())).message).toBe(waits)
    await build('w-2')
    expect((await request()).integration).toMatchObject({ status: 'requested' })
  })

  it.each(['human', 'auto'] as const)('is not merged by a request from before: %s', async (approval) => {
    const hosts = await onB()
    const { world, cores, agentId } = hosts
    await world.perform(setRemote, { url: 'git@git.example.net:shop' })
    await world.perform(cancelTask, { taskId: 1 })
    const { integration } = await perform(cores[LOCAL]!, requestIntegration, { worktreeName: 'w' }, person)
    const id = integration!.id
    await world.task({ targetWorktree: 'w' })
    await world.perform(loseHost, { host: 'b' })
    expect((await perform(cores[LOCAL]!, continueStranded, {}, system())).continued).toMatchObject([{ tasks: [2] }])
    expect(agentId).not.toBe('')
    const commits = { targetOid: oid('a'), branchOid: oid('b'), mergeOid: oid('c') }
    await world.perform(recordCandidate, { id, candidate: commits, approval }, system())
    const verified = await world.perform(recordVerification, { id, mergeOid: oid('c'), verification: null }, system())
    expect(verified).toMatchObject({ recorded: true, approved: false })
    expect((await refusal(world.perform(approveIntegration, { worktreeName: 'w', ...commits }))).message).toBe(waits)
  })

  it('does not leave the board with its host', async () => {
    const { world } = await continued()
    expect((await refusal(world.perform(forgetHost, { host: 'b' }))).message).toContain('is not built')
  })

  it('cancels no task of a board that has one host again, and lets a person decide', async () => {
    const world = await openCore()
    await world.worktree('w')
    await world.perform(discardWorktree, { worktreeName: 'w', reason: 'It is done.' })
    await world.perform(createWorktree, { name: 'w-2', branchName: 'w-2' })
    await world.core.store.write((db) => changeWorktree(db, 'w-2', { folder: 'building' }, { continues: 'w' }))
    const { id } = await world.task({ targetWorktree: 'w-2' })
    const failed = { name: 'w-2', baseOid: null, error: 'make was not found.' }
    expect(await world.perform(recordWorktree, failed, system())).toMatchObject({ cancelled: [] })
    expect(await world.show(id)).toMatchObject({ status: 'pending', targetWorktree: 'w-2' })
  })
})

describe('a worktree that gets a task after the one that it continues has ended', () => {
  const C = 'cccccccc'

  /** Host B is lost, `w-2` is to continue its worktree `w`, which is discarded; then task 2 is added to `w-2`. */
  const late = async () => {
    const hosts = await continued()
    const { world, cores, back } = hosts
    await world.perform(cancelTask, { taskId: 1 })
    await back()
    await world.perform(discardWorktree, { worktreeName: 'w', reason: 'It is done elsewhere.' })
    await world.task({ targetWorktree: 'w-2' })
    const dispatched = async () => (await perform(cores[LOCAL]!, dispatch, { maxParallel: 8 }, system())).started
    const held = async () => (await perform(cores[LOCAL]!, readHeld, {}, system())).map(({ why }) => why)
    const stranded = async () => (await perform(cores[LOCAL]!, readStranded, {}, system())).stranded
    const placed = async () => (await perform(cores[LOCAL]!, continueStranded, {}, system())).placed
    const building = async (id: string) =>
      (await perform(cores[id]!, readWishes, {}, system())).worktrees.flatMap(({ name, folder }) =>
        folder === 'building' ? [name] : [],
      )
    /** Host B takes no work, so that only the first one is left. */
    const alone = () => world.perform(changeHost, { host: 'b', maxParallel: 0 })
    return { ...hosts, dispatched, held, stranded, placed, building, alone }
  }

  it('is built on another host if it cannot be built on the first, and its task starts there', async () => {
    const { world, beat, fail, dispatched, stranded, placed, building, status, build } = await late()
    expect(await building(LOCAL)).toEqual(['w-2'])
    expect(await dispatched()).toMatchObject([{ taskId: 2, worktree: 'w-2' }])
    expect(await fail('w-2')).toMatchObject({ recorded: true, cancelled: [], rests: true })
    expect(await world.show(2)).toMatchObject({ status: 'pending', targetWorktree: 'w-2', retryCount: 0 })
    expect((await world.perform(listAgents, {})).map(({ id }) => id)).toEqual([])
    expect(await building(LOCAL)).toEqual([])
    expect(await stranded()).toBe(true)
    expect(await placed()).toEqual([{ worktree: 'w-2', host: 'b' }])
    expect([await building(LOCAL), await building('bbbbbbbb')]).toEqual([[], ['w-2']])
    expect(await status('w-2')).toMatchObject({ path: expect.stringContaining('/b/') as string })
    expect(await stranded()).toBe(false)
    await build('w-2')
    await beat('bbbbbbbb')
    expect(await dispatched()).toMatchObject([{ taskId: 2, worktree: 'w-2' }])
  })

  it('says why it waits, and is tried on the same host after ten minutes', async () => {
    const { world, beat, fail, dispatched, held, stranded, placed, building, alone, build } = await late()
    await alone()
    await fail('w-2')
    expect(await stranded()).toBe(false)
    expect(await dispatched()).toEqual([])
    expect(await held()).toEqual([
      'it works in w-2, which is not built: host local could not build it: make was not found; another host is tried, or the same one after 10 minutes',
    ])
    expect(await building(LOCAL)).toEqual([])
    world.pass(11 * minute)
    await beat(LOCAL)
    expect(await stranded()).toBe(true)
    expect(await placed()).toEqual([{ worktree: 'w-2', host: 'local' }])
    expect(await building(LOCAL)).toEqual(['w-2'])
    await build('w-2')
    expect(await dispatched()).toMatchObject([{ taskId: 2, worktree: 'w-2' }])
  })

  it('can be discarded while it waits', async () => {
    const { world, fail, alone } = await late()
    const discard = () => world.perform(discardWorktree, { worktreeName: 'w-2', reason: 'It cannot be built.' })
    expect((await refusal(discard())).message).toContain('is still being created')
    await alone()
    await fail('w-2')
    expect(await discard()).toMatchObject({ status: 'discarded', folder: 'gone', cancelled: [2] })
  })

  it('is continued as others if its host is lost then', async () => {
    const { world, fail, again } = await late()
    const { secret } = await world.perform(makeJoinCode, {})
    await world.perform(joinHost, { secret, hostId: C, name: 'c', machine: 'n', root: '/c/shop' })
    await fail('w-2')
    await again()
    await world.perform(loseHost, { host: 'b' })
    world.pass(minute)
    await world.perform(changeHost, { host: LOCAL, maxParallel: 8 })
    const worker = { holder: 'of c', pid: 1, ttl: minute, root: '/c/shop', program: '1', kinds: ['claude'] }
    await world.perform(takeHost, { hostId: C, ...worker }, system())
    expect(await again()).toMatchObject([{ worktree: 'w-2', successor: 'w-2-2', host: 'c', tasks: [2] }])
  })
})

describe('a worktree whose host is lost a second time', () => {
  it('is continued by another one, since it has work of its own since its host was back', async () => {
    const { world, cores, back, build, lose, again, target } = await continued()
    await build('w-2')
    await back()
    await world.task({ targetWorktree: 'w' })
    expect(await lose()).toMatchObject([{ worktree: 'w', successor: 'w-3', tasks: [2] }])
    expect(await target(1)).toBe('w-2')
    expect(await again()).toEqual([])
    expect((await perform(cores[LOCAL]!, readStranded, {}, system())).stranded).toBe(false)
  })

  it('has the tasks of both if neither can be built', async () => {
    const { world, back, fail, lose, again, target, status } = await continued()
    await back()
    await world.task({ targetWorktree: 'w' })
    expect(await lose()).toMatchObject([{ successor: 'w-3' }])
    await fail('w-2')
    // Its commits of then are a part of those of now.
    expect(await target(1)).toBe('w')
    expect(await status('w-3')).toMatchObject({ folder: 'building' })
    expect(await again()).toMatchObject([{ worktree: 'w', successor: 'w-3', tasks: [1] }])
    await fail('w-3')
    expect([await target(1), await target(2)]).toEqual(['w', 'w'])
  })

  it('gives tasks to the one that continues it, if it was not back since', async () => {
    const { world, again, target, build } = await continued()
    await build('w-2')
    await world.task({ targetWorktree: 'w' })
    expect(await again()).toMatchObject([{ worktree: 'w', successor: 'w-2', tasks: [2] }])
    expect(await target(2)).toBe('w-2')
    expect(await again()).toEqual([])
  })
})
