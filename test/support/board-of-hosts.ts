import { type Actor, system } from '../../src/domain/agent/actor.ts'
import { LOCAL } from '../../src/domain/host/host.ts'
import type { Core } from '../../src/operations/perform/core.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { joinHost, makeJoinCode } from '../../src/operations/hosts/membership.ts'
import { takeHost } from '../../src/operations/hosts/worker.ts'
import { dispatch } from '../../src/operations/supervision/dispatch.ts'
import { recordWorktree } from '../../src/operations/worktrees/building.ts'
import { createWorktreeOn } from '../../src/operations/worktrees/create.ts'
import { openCore, second, type World } from './core.ts'

// A board with several hosts in one process: what each of them may do and sees.

export const B = 'bbbbbbbb'

/** A board with two hosts, each with a process that has its role, and the cores of both. */
export const twoHosts = async (changes: Parameters<typeof openCore>[0] = {}) => {
  const world = await openCore({ session: { maxParallel: 8, freeDisk: 0 }, ...changes })
  const cores: Readonly<Record<string, Core>> = {
    [LOCAL]: { ...world.core, host: LOCAL },
    [B]: { ...world.core, host: B, root: '/b/shop' },
  }
  const { secret } = await world.perform(makeJoinCode, { labels: ['big'] })
  await world.perform(joinHost, { secret, hostId: B, name: 'b', machine: 'm', root: '/b/shop' })
  const beat = async (hostId: string, kinds = ['claude', 'command'], holder = `of ${hostId}`): Promise<Actor> => {
    const core = cores[hostId]!
    const input = { hostId, holder, pid: 1, ttl: 10 * second, root: core.root, program: '1', kinds }
    const { term } = await perform(core, takeHost, input, system())
    return system({ holder, term, host: hostId })
  }
  await beat(LOCAL)
  const ofB = await beat(B)
  return { world, cores, beat, ofB }
}

export const worktreeOn = async ({ perform: run }: World, host: string, name = 'w'): Promise<string> => {
  const { path } = await run(createWorktreeOn, { name, branchName: `feature/${name}`, host })
  await run(recordWorktree, { name, baseOid: 'a'.repeat(40), error: null }, system())
  return path
}

/** A task that was given to an agent on host B. */
export const onB = async (changes: Parameters<typeof openCore>[0] = {}) => {
  const hosts = await twoHosts(changes)
  const { world } = hosts
  await worktreeOn(world, 'b')
  await world.task({ targetWorktree: 'w' })
  const { agentId } = (await world.perform(dispatch, { maxParallel: 8 }, system())).started[0]!
  return { ...hosts, agentId }
}

export const launch = { pid: 7, startedAt: '1', bootId: 'x', startsTask: true }
