import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { followJobsOf } from '../../../src/effects/hosts/code-exchange.ts'
import { landQueue } from '../../../src/effects/integration/merge-queue.ts'
import { endsOf, forkOnRemote } from '../../../src/effects/remote/tips.ts'
import { freshWishesOf } from '../../../src/effects/wishes.ts'
import type { World } from '../../../src/effects/world.ts'
import { outsideOf } from '../../../src/effects/opening/outside.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { joinHost, makeJoinCode } from '../../../src/operations/hosts/membership.ts'
import { setRemote } from '../../../src/operations/hosts/remote.ts'
import { approveIntegration } from '../../../src/operations/integration/decisions.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { createWorktreeOn } from '../../../src/operations/worktrees/create.ts'
import { refusal, temporaryFolder } from '../../support/core.ts'
import { commit, git, openSwarm, sh } from '../swarm.ts'

// A clone that knows less, or more, than the remote.

const withRemote = async () => {
  const swarm = await openSwarm()
  const url = join(temporaryFolder(), 'shop.git')
  sh(swarm.root, `git clone --quiet --bare . "${url}"`)
  const core = { ...swarm.core, host: LOCAL }
  const said: string[] = []
  const world: World = { ...swarm.world, core, report: (sentence) => said.push(sentence) }
  await perform(core, setRemote, { url }, person)
  const { secret } = await perform(core, makeJoinCode, {}, person)
  await perform(core, joinHost, { secret, hostId: 'bbbbbbbb', name: 'b', machine: 'm', root: '/b' }, person)
  const theirs = (parent: string): string =>
    git(url, '-c', 'user.name=c', '-c', 'user.email=c@c', 'commit-tree', `${parent}^{tree}`, '-p', parent, '-m', 'x')
  return { swarm, url, world, said, theirs }
}

it('a worktree begins with what its host knows while the remote is away, and says so', async () => {
  const { swarm, url, world, said, theirs } = await withRemote()
  const known = git(swarm.root, 'rev-parse', 'main')
  const newer = theirs('main')
  git(url, 'update-ref', 'refs/heads/main', newer)
  renameSync(url, `${url}.away`)
  const connection = { core: world.core, actor: person, outside: outsideOf(world) }
  const { path } = await act(connection, createWorktreeOn, { name: 'w', branchName: 'w', host: LOCAL })
  expect(said).toEqual([expect.stringMatching(/The worktree begins with what this host knows of main\.$/)])
  expect(git(path, 'rev-parse', 'HEAD')).toBe(known)
})

it('a worktree begins with the newer commit of the remote, and with that of the clone if it contains it', async () => {
  const { swarm, url, world, said, theirs } = await withRemote()
  const newer = theirs('main')
  git(url, 'update-ref', 'refs/heads/main', newer)
  expect(await forkOnRemote(world, 'main')).toBe(newer)
  git(swarm.root, 'merge', '--quiet', '--ff-only', newer)
  const own = commit(swarm.root, { 'lamp.txt': 'a lamp\n' })
  expect(await forkOnRemote(world, 'main')).toBe(own)
  expect(said).toEqual([])
})

it('the target of a clone with commits that the remote has not stays as it is, and the clone says why', async () => {
  const { swarm, url, world, theirs } = await withRemote()
  const own = commit(swarm.root, { 'lamp.txt': 'a lamp\n' })
  git(url, 'update-ref', 'refs/heads/main', theirs('main'))
  const wishes = {
    ...(await freshWishesOf(world)),
    remote: { url, refs: 'own' as const },
    landed: [{ target: 'main', id: 1 }],
  }
  const jobs = followJobsOf(world)(wishes, performance.now())
  expect((await refusal(jobs[0]!.run())).message).toBe(
    'The branch main of this clone has commits that the remote has not, so it does not follow. Rebase or merge it.',
  )
  expect(git(swarm.root, 'rev-parse', 'main')).toBe(own)
})

it('a host that lost the board before it lost the remote has its last push merged, if that contains the recorded one', async () => {
  const { swarm, url, world, theirs } = await withRemote()
  const { core } = world
  await perform(core, createWorktreeOn, { name: 'w', branchName: 'w', host: 'b' }, person)
  const recorded = theirs('main')
  const later = theirs(recorded)
  const work = { name: 'w', branch: 'w', isElsewhere: true }
  const remote = { root: swarm.root, url }
  const ends = (isAway: boolean, pushedOid = recorded) => endsOf(world, remote, 'main', { ...work, isAway, pushedOid })
  git(url, 'update-ref', 'refs/aiswarm/work/w', later)
  expect(await ends(false)).toBe(undefined)
  expect(await ends(true)).toMatchObject({ branchOid: later })
  expect(await ends(true, 'f'.repeat(40))).toBe(undefined)
  git(url, 'update-ref', 'refs/aiswarm/work/w', git(url, 'rev-parse', 'main'))
  expect(await ends(true)).toBe(undefined)
})

it('a merge whose answer was lost has landed, although another push is on top of it', async () => {
  const { swarm, url, world, theirs } = await withRemote()
  const connection = { core: world.core, actor: person, outside: outsideOf(world) }
  const { path } = await act(connection, createWorktreeOn, { name: 'auth', branchName: 'auth', host: LOCAL })
  commit(path, { 'auth.txt': 'auth\n' })
  await act(connection, requestIntegration, { worktreeName: 'auth' })
  const { targetOid, branchOid, mergeOid, verification } = (await swarm.worktree('auth')).integration!
  const approved = { targetOid: targetOid!, branchOid: branchOid!, mergeOid: mergeOid! }
  const input = { worktreeName: 'auth', ...approved, verificationId: verification?.id ?? null }
  await perform(swarm.core, approveIntegration, input, person)
  // The push arrives, another program pushes on top of it, and this host hears that it was refused.
  git(swarm.root, 'push', '--quiet', url, `${mergeOid}:refs/kept/merge`)
  const next = theirs(mergeOid!)
  const hook = join(url, 'hooks', 'update')
  writeFileSync(hook, `#!/bin/sh\nunset GIT_QUARANTINE_PATH\ngit update-ref refs/heads/main ${next}\nexit 1\n`, {
    mode: 0o755,
  })
  expect(await landQueue(world, 'main')).toBe(true)
  expect((await swarm.worktree('auth')).integration).toMatchObject({ status: 'integrated', mergeOid })
  expect(git(url, 'rev-parse', 'main')).toBe(next)
})
