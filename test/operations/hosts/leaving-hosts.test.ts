import { describe, expect, it } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { whyNoWrite } from '../../../src/domain/host/heartbeat.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { declareRestored } from '../../../src/operations/failover/restored-board.ts'
import { forgetHost } from '../../../src/operations/failover/forget-host.ts'
import { joinHost, makeJoinCode, revokeCodes } from '../../../src/operations/hosts/membership.ts'
import { listHosts, readUnpushed } from '../../../src/operations/hosts/list.ts'
import { loseHost } from '../../../src/operations/failover/lost-hosts.ts'
import { readOwnHost } from '../../../src/operations/hosts/own-host.ts'
import { returnHost } from '../../../src/operations/failover/returned-hosts.ts'
import { takeHost } from '../../../src/operations/hosts/worker.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import { recordPushed } from '../../../src/operations/hosts/locations.ts'
import { renew } from '../../../src/operations/supervision/sweep.ts'
import { recordCommits, settleRun } from '../../../src/operations/runs/ends.ts'
import { recordLaunch, takeRun } from '../../../src/operations/runs/processes.ts'
import { setRemote } from '../../../src/operations/hosts/remote.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { createWorktreeOn } from '../../../src/operations/worktrees/create.ts'
import { heartbeat } from '../../../src/operations/agents/heartbeat.ts'
import { hashToken } from '../../../src/operations/perform/token.ts'
import { B, launch, onB, twoHosts, worktreeOn } from '../../support/board-of-hosts.ts'
import { minute, refusal, refused, second } from '../../support/core.ts'

const names = async ({ world }: Awaited<ReturnType<typeof twoHosts>>): Promise<readonly string[]> =>
  (await world.perform(listHosts, {})).map(({ name }) => name)

describe('a host that is forgotten', () => {
  it('is listed no more, writes nothing, and its name is free for one that joins', async () => {
    const hosts = await twoHosts()
    const { world, ofB, beat } = hosts
    expect(await world.perform(forgetHost, { host: 'b' })).toMatchObject({ id: B, name: 'b', epoch: 2, worktrees: [] })
    expect(await names(hosts)).toEqual(['local'])
    expect(await refused(world.perform(renew, { agentIds: [] }, ofB))).toBe('stale_host')
    const known = (await world.perform(readOwnHost, { hostId: B }, system()))!
    expect(whyNoWrite(known, undefined)?.message).toBe(
      "This clone was host b of the board, which does not know it any more, so nothing is written. Join again: 'aiswarm fleet join-code' on a host, then 'aiswarm fleet join' here.",
    )
    // A code gives it a new place, not its old one.
    const { secret } = await world.perform(makeJoinCode, {})
    await world.perform(joinHost, { secret, hostId: 'cccccccc', name: 'b', machine: 'm', root: '/b/shop' })
    expect(await names(hosts)).toEqual(['local', 'b'])
    expect(await refused(world.perform(renew, { agentIds: [] }, await beat(B)))).toBe('stale_host')
  })

  it('has no agent that works: it is drained or lost first', async () => {
    const { world, agentId } = await onB()
    expect((await refusal(world.perform(forgetHost, { host: 'b' }))).message).toBe(
      `1 agent of host b is working: ${agentId}. Let it finish with 'aiswarm host drain b --wait 10m', or declare it lost.`,
    )
  })

  it('has no worktree that only it could archive, unless it is lost', async () => {
    const { world } = await twoHosts()
    await worktreeOn(world, 'b')
    expect((await refusal(world.perform(forgetHost, { host: 'b' }))).message).toContain('Host b has 1 worktree: w.')
    await world.perform(recordPushed, { worktree: 'w', oid: 'b'.repeat(40) }, system())
    await world.perform(loseHost, { host: 'b' })
    expect(await world.perform(forgetHost, { host: 'b' })).toMatchObject({
      worktrees: [{ name: 'w', ref: 'refs/aiswarm/work/w' }],
    })
  })

  it('has no task that waits', async () => {
    const { world } = await onB()
    await world.perform(loseHost, { host: 'b' })
    expect(await refused(world.perform(forgetHost, { host: 'b' }))).toBe('would_lose_work')
    await world.perform(cancelTask, { taskId: 1, reason: 'no more' })
    expect(await world.perform(forgetHost, { host: 'b' })).toMatchObject({ worktrees: [{ name: 'w', ref: null }] })
  })

  it('is not the one with the main checkout', async () => {
    const { world } = await twoHosts()
    expect(await refused(world.perform(forgetHost, { host: LOCAL }))).toBe('invalid_state')
    expect(await refused(world.perform(forgetHost, { host: 'nobody' }))).toBe('not_found')
  })
})

describe('a board that was restored to an earlier time', () => {
  const seen = { generation: 1, seq: 7, joinedAt: '2026-01-30T14:22:30.000Z' }

  it('is noticed by a host that remembers a later heartbeat, and by no other', () => {
    const host = { name: 'b', state: 'up', ...seen } as const
    expect(whyNoWrite(host, seen)).toBeUndefined()
    expect(whyNoWrite(host, undefined)).toBeUndefined()
    expect(whyNoWrite({ ...host, seq: 6 }, seen)?.code).toBe('board_restored')
    expect(whyNoWrite({ ...host, seq: 9 }, { ...seen, generation: 2 })?.code).toBe('board_restored')
    // A person has said so, and the host follows.
    expect(whyNoWrite({ ...host, seq: 6, generation: 2 }, seen)).toBeUndefined()
    // Another board of the same repository.
    expect(whyNoWrite({ ...host, seq: 6, joinedAt: '2026-01-31T00:00:00.000Z' }, seen)).toBeUndefined()
  })

  it('ends no agent if nothing looks restored from the clone of the person, or not since it was said last', async () => {
    const { world, agentId } = await onB()
    const known = (await world.perform(readOwnHost, { hostId: B }, system()))!
    const own = { generation: known.generation, seq: known.seq, joinedAt: known.joinedAt }
    const later = { hostId: B, seen: { ...own, seq: own.seq + 1 } }
    const why = async (clone: typeof later | { hostId: string; seen: null } | null): Promise<string> => {
      const { code, message } = await refusal(world.perform(declareRestored, { clone }))
      expect(code).toBe('invalid_state')
      expect(await world.show(1)).toMatchObject({ status: 'claimed' })
      return message
    }
    const rest =
      'Agents would end for nothing. Run this where commands say since the restore that nothing is written, or add --anyway.'
    const without = `Nothing looks restored: this clone remembers no heartbeat that the board has acknowledged. ${rest}`
    expect(await why(null)).toBe(without)
    expect(await why({ hostId: B, seen: null })).toBe(without)
    expect(await why({ hostId: B, seen: { ...later.seen, joinedAt: '2026-01-01T00:00:00.000Z' } })).toBe(without)
    expect(await why({ hostId: B, seen: own })).toBe(
      `Nothing looks restored: the board knows every heartbeat of host b that it has acknowledged. ${rest}`,
    )
    expect((await world.perform(declareRestored, { clone: later })).ended).toEqual([agentId])
    expect((await refusal(world.perform(declareRestored, { clone: later }))).message).toBe(
      `Nothing looks restored since a person last said so; host b comes back when its worker runs. ${rest}`,
    )
    await world.perform(declareRestored, { clone: later, anyway: true })
    // Its board was restored to a time before it joined.
    await world.perform(declareRestored, { clone: { hostId: 'cccccccc', seen: null } })
  })

  it('counts the heartbeats of each host', async () => {
    const { world, cores } = await twoHosts()
    const take = {
      hostId: B,
      holder: 'of bbbbbbbb',
      pid: 1,
      ttl: 10 * second,
      root: '/b/shop',
      program: '1',
      kinds: [],
    }
    const beats = [1, 2].map(() => () => perform(cores[B]!, takeHost, take, system()))
    for (const beat of beats) await beat()
    expect(await perform(cores[B]!, takeHost, take, system())).toMatchObject({ beat: { generation: 1, seq: 4 } })
    expect(await world.perform(readOwnHost, { hostId: B }, system())).toMatchObject({ generation: 1, seq: 4 })
  })

  it('begins a generation in which agents and tokens have ended, and each host comes back before it works', async () => {
    const { world, cores, beat, ofB, agentId } = await onB()
    await perform(cores[B]!, takeRun, { agentId, run: 1 }, ofB)
    const guest = await world.agent('guest')
    const { generation, hosts, ended } = await world.perform(declareRestored, { anyway: true })
    expect(generation).toBeGreaterThan(1)
    expect({ hosts, ended: [...ended].sort() }).toEqual({ hosts: ['local', 'b'], ended: ['guest', agentId].sort() })
    expect(await world.show(1)).toMatchObject({ status: 'pending', retryCount: 0 })
    expect(await refused(world.perform(heartbeat, {}, guest))).toBe('not_allowed')
    const token = hashToken(world.core.launchToken(agentId, 1))
    const former = { kind: 'agent', id: agentId, role: 'worker', worktree: 'w', tokenHash: token } as const
    expect(await refused(world.perform(heartbeat, {}, former))).toBe('not_allowed')
    // Terms that were given before the restore are given to no other process.
    expect(await refused(world.perform(renew, { agentIds: [] }, ofB))).toBe('stale_host')
    for (const host of [LOCAL, B]) {
      expect(await refused(world.perform(renew, { agentIds: [] }, await beat(host)))).toBe('stale_host')
      await world.perform(returnHost, { hostId: host }, system())
      const back = await beat(host)
      expect(back).toMatchObject({ supervision: { term: expect.any(Number) as number } })
      await world.perform(renew, { agentIds: [] }, back)
    }
    expect((await world.perform(dispatch, { maxParallel: 8 }, system())).started).toHaveLength(1)
  })

  it('places nothing on a host that has not come back', async () => {
    const { world } = await twoHosts()
    await world.perform(declareRestored, { anyway: true })
    await world.perform(returnHost, { hostId: LOCAL }, system())
    expect(
      (await refusal(world.perform(createWorktreeOn, { name: 'w', branchName: 'w', labels: ['big'] }))).message,
    ).toContain("No host with the label 'big'")
  })

  it('gives later terms than any before', async () => {
    const { world, cores, ofB } = await twoHosts()
    const before = (ofB as { supervision: { term: number } }).supervision.term
    await world.perform(declareRestored, { anyway: true })
    await world.perform(returnHost, { hostId: B }, system())
    const take = { hostId: B, holder: 'new', pid: 1, ttl: 10 * second, root: '/b/shop', program: '1', kinds: [] }
    expect((await perform(cores[B]!, takeHost, take, system())).term).toBeGreaterThan(before + 999)
  })
})

describe('the codes to join', () => {
  it('are revoked together, and those that hosts have used stay', async () => {
    const { world } = await twoHosts()
    const { secret } = await world.perform(makeJoinCode, {})
    expect(await world.perform(revokeCodes, {})).toEqual({ revoked: 1 })
    const join = { secret, hostId: 'cccccccc', name: 'c', machine: 'm', root: '/c' }
    expect(await refused(world.perform(joinHost, join))).toBe('not_found')
    await world.perform(makeJoinCode, {})
    world.pass(16 * minute)
    expect(await world.perform(revokeCodes, {})).toEqual({ revoked: 0 })
  })
})

describe('the labels of a host', () => {
  it('are those with which its worker was started, until a person changes them', async () => {
    const { world, cores } = await twoHosts()
    const take = {
      hostId: B,
      holder: 'of bbbbbbbb',
      pid: 1,
      ttl: 10 * second,
      root: '/b/shop',
      program: '1',
      kinds: [],
    }
    await perform(cores[B]!, takeHost, { ...take, labels: ['gpu', 'linux', 'gpu'] }, system())
    expect((await world.perform(listHosts, {}))[1]!.labels).toEqual(['gpu', 'linux'])
    await perform(cores[B]!, takeHost, take, system())
    expect((await world.perform(listHosts, {}))[1]!.labels).toEqual(['gpu', 'linux'])
  })
})

describe('a host that is drained', () => {
  it('has not finished while the remote lacks the last commits of its tasks, or these are not known yet', async () => {
    const { world, agentId, ofB } = await onB()
    const unpushed = (hostId = B) => world.perform(readUnpushed, { hostId })
    const there = { ...world.core, host: B }
    const asB: typeof world.perform = (operation, input, actor) => perform(there, operation, input, actor ?? ofB)
    await world.perform(setRemote, { url: '/srv/shop.git' })
    const hosts = { ...world.core, host: LOCAL }
    const left = () => perform(hosts, readUnpushed, { hostId: B }, system())
    // While its agent works, that is what is waited for.
    expect(await left()).toEqual([])
    await asB(takeRun, { agentId, run: 1 })
    await asB(recordLaunch, { agentId, run: 1, ...launch })
    // A push in between has not all of it.
    await asB(recordPushed, { worktree: 'w', oid: 'c'.repeat(40) })
    world.pass(second)
    await asB(settleRun, { agentId, run: 1, exitCode: 0, verdict: { kind: 'completed', resultData: null } })
    expect(await left()).toEqual(['w'])
    const commit = (oid: string) => ({ oid: oid.repeat(40), author: 'b', at: world.now(), subject: oid })
    await asB(recordCommits, { taskId: 1, attempt: 1, branch: 'feature/w', commits: [commit('c'), commit('d')] })
    expect(await left()).toEqual(['w'])
    await asB(recordPushed, { worktree: 'w', oid: 'd'.repeat(40) })
    expect(await left()).toEqual([])
    // Another host's, and a board that exchanges nothing.
    expect(await perform(hosts, readUnpushed, { hostId: LOCAL }, system())).toEqual([])
    expect(await unpushed()).toEqual([])
  })
})
