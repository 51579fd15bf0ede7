import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { person, system } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { remoteJobsOf } from '../../../src/effects/remote/availability.ts'
import { listRemote } from '../../../src/effects/remote/remote.ts'
import { supervising, type World } from '../../../src/effects/world.ts'
import { listHosts } from '../../../src/operations/hosts/list.ts'
import { joinHost, makeJoinCode } from '../../../src/operations/hosts/membership.ts'
import { setRemote } from '../../../src/operations/hosts/remote.ts'
import { takeHost } from '../../../src/operations/hosts/worker.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { refusal, temporaryFolder } from '../../support/core.ts'
import { commit, openSwarm, sh } from '../swarm.ts'

afterEach(() => {
  vi.useRealTimers()
})

const second = 1000

/** The first host of a board with two hosts, on which the merge of a worktree is requested, and its remote. */
const withRemote = async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const swarm = await openSwarm()
  const url = join(temporaryFolder(), 'shop.git')
  sh(swarm.root, `git clone --quiet --bare . "${url}"`)
  commit(await swarm.build('one'), { one: 'one\n' }, 'Work')
  const core = { ...swarm.core, host: LOCAL }
  let term = 0
  const world: World = supervising({ ...swarm.world, core }, () => term, LOCAL)
  /** Gives this process the role of its host, which it has not when its sources of jobs are made. */
  const takeRole = async (): Promise<void> => {
    const { holder } = world
    const facts = { pid: process.pid, ttl: 600 * second, root: core.root, program: '1', kinds: [] }
    term = (await perform(core, takeHost, { hostId: LOCAL, holder, ...facts }, system())).term
  }
  await perform(core, setRemote, { url }, person)
  const { secret } = await perform(core, makeJoinCode, {}, person)
  await perform(core, joinHost, { secret, hostId: 'bbbbbbbb', name: 'b', machine: 'm', root: '/b' }, person)
  await perform(core, requestIntegration, { worktreeName: 'one' }, person)
  /** Asks a process for its jobs until it has none. */
  const work = async (jobs: ReturnType<typeof remoteJobsOf>): Promise<void> => {
    for (;;) {
      const found = jobs(url, performance.now())
      if (found.length === 0) return
      for (const job of found) await job.run()
    }
  }
  const blocked = async () => (await swarm.worktree('one')).remoteSilent
  return { core, world, url, work, blocked, takeRole }
}

it('a remote that does not answer blocks a merge on every console since then, until it answers', async () => {
  const { core, world, url, work, blocked, takeRole } = await withRemote()
  const jobs = remoteJobsOf(world)
  await takeRole()
  await work(jobs)
  expect(await blocked()).toBe(undefined)

  renameSync(url, `${url}.away`)
  expect((await refusal(listRemote({ root: core.root, url }, ['HEAD']))).code).toBe('remote_unreachable')
  await work(jobs)
  const since = await blocked()
  const [{ name } = { name: '' }] = await perform(core, listHosts, {}, person)
  expect(since).toEqual({ host: name, since: expect.any(String) as string })

  // It stays the same moment, and a process that starts meanwhile asks by itself.
  vi.advanceTimersByTime(20 * second)
  const later = remoteJobsOf(world)
  await work(later)
  expect(await blocked()).toEqual(since)
  renameSync(`${url}.away`, url)
  vi.advanceTimersByTime(20 * second)
  await work(later)
  expect(await blocked()).toBe(undefined)
})

it('a remote that has just failed is left alone for ten seconds', async () => {
  const { core, url } = await withRemote()
  const ask = () => listRemote({ root: core.root, url }, ['refs/heads/main'])
  renameSync(url, `${url}.away`)
  const first = await refusal(ask())
  renameSync(`${url}.away`, url)
  vi.advanceTimersByTime(9 * second)
  // The same answer, without a question: the remote is there again.
  expect(await refusal(ask())).toBe(first)
  vi.advanceTimersByTime(2 * second)
  expect([...(await ask()).keys()]).toEqual(['refs/heads/main'])
})
