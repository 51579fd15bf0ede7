import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { person, system } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { removeWorktree } from '../../../src/effects/archive/remover.ts'
import { moveWork } from '../../../src/effects/hosts/code-exchange.ts'
import { buildWorktree } from '../../../src/effects/worktrees/builder.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { joinHost, makeJoinCode } from '../../../src/operations/hosts/membership.ts'
import { setRemote } from '../../../src/operations/hosts/remote.ts'
import { takeHost } from '../../../src/operations/hosts/worker.ts'
import { readWishes } from '../../../src/operations/supervision/wishes.ts'
import { createWorktreeOn } from '../../../src/operations/worktrees/create.ts'
import { readMove, requestMove } from '../../../src/operations/worktrees/moves.ts'
import { B } from '../../support/board-of-hosts.ts'
import { refusal, temporaryFolder } from '../../support/core.ts'
import { trash } from '../archived.ts'
import { commit, git, openSwarm, sh, write } from '../swarm.ts'

/** A worktree `w` with a commit on the first of two hosts, which exchange code through a remote. */
const hosts = async () => {
  const swarm = await openSwarm()
  const core = { ...swarm.core, host: LOCAL }
  const world = { ...swarm.world, core }
  const { secret } = await perform(core, makeJoinCode, {}, person)
  await perform(core, joinHost, { secret, hostId: B, name: 'b', machine: 'm', root: '/b/shop' }, system())
  const url = join(temporaryFolder(), 'shop.git')
  sh(swarm.root, `git clone --quiet --bare . "${url}"`)
  await perform(core, setRemote, { url }, person)
  for (const [hostId, root] of [
    [LOCAL, swarm.root],
    [B, '/b/shop'],
  ] as const) {
    const worker = { hostId, holder: `of ${hostId}`, pid: 1, ttl: 600_000, root, program: '1', kinds: ['command'] }
    await perform(core, takeHost, worker, system())
  }
  await act(swarm.connection, createWorktreeOn, { name: 'w', branchName: 'b', host: LOCAL })
  /** The worktree as its host sees it; all of them here have the same store. */
  const worktreeOf = async (hostId: string, name: string) =>
    (await perform({ ...core, host: hostId }, readWishes, {}, system())).worktrees.find((one) => one.name === name)!
  const works = () => worktreeOf(LOCAL, 'w')
  const { path } = await works()
  commit(path, { first: '1\n' })
  const moved = () => perform(core, readMove, { worktreeName: 'w' }, person)
  const move = async () => {
    await perform(core, requestMove, { worktreeName: 'w', host: 'b' }, person)
    await moveWork(world, { remote: { url, refs: 'own' }, snapshots: false }, await works())
  }
  /** Commits in the worktree while the remote receives a push. */
  const commitsDuringPush = (times: number): void => {
    const hook = join(url, 'hooks/post-receive')
    const body = `n=$(cat "${url}/times" 2>/dev/null || echo 0)
      test "$n" -ge ${times} && exit 0
      echo $((n + 1)) > "${url}/times"
      unset GIT_DIR GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
      cd "${path}" && echo $n > late-$n && git add --all && git commit --quiet --message Late`
    write(url, { 'hooks/post-receive': `#!/bin/sh\n${body}\n` })
    chmodSync(hook, 0o755)
  }
  const pushed = () => git(url, 'rev-parse', 'refs/aiswarm/work/w')
  return { swarm, core, world, path, worktreeOf, works, moved, move, commitsDuringPush, pushed }
}

describe('the push of a worktree that moves', () => {
  it('takes a commit along that was made during it', async () => {
    const { swarm, move, moved, commitsDuringPush, pushed } = await hosts()
    commitsDuringPush(1)
    await move()
    expect(await moved()).toMatchObject({ problem: null, successor: 'w-2', to: 'b' })
    expect(pushed()).toBe(git(swarm.root, 'rev-parse', 'refs/heads/b'))
    expect(git(swarm.root, 'ls-tree', '--name-only', pushed())).toContain('late-0')
  })

  it('refuses the move if commits are made in each of them', async () => {
    const { move, moved, commitsDuringPush } = await hosts()
    commitsDuringPush(50)
    expect((await refusal(move())).message).toContain('gets commits again and again')
    expect(await moved()).toMatchObject({ isWaiting: false, successor: null })
  })
})

it('the host of an undone move removes what it has built, with its branch', async () => {
  const { swarm, core, world, path, works, worktreeOf, move } = await hosts()
  await move()
  // The other host, in the same clone here.
  const other = { ...world, core: { ...core, host: B } }
  const wanted = await worktreeOf(B, 'w-2')
  const there = { ...wanted, path: `${path}-2` }
  await perform(core, requestMove, { worktreeName: 'w', host: 'local' }, person)
  await buildWorktree(other, there)
  expect(existsSync(there.path)).toBe(true)
  const leaves = await worktreeOf(B, 'w-2')
  expect(leaves).toMatchObject({ folder: 'leaving', baseOid: null })
  expect(await removeWorktree(other, { ...leaves, path: there.path })).toBe(true)
  expect(existsSync(there.path)).toBe(false)
  expect(git(swarm.root, 'branch', '--list', 'b-2')).toBe('')
  expect(trash(swarm)).toHaveLength(1)
  expect(await worktreeOf(B, 'w-2')).toBe(undefined)
  expect(await works()).toMatchObject({ folder: 'ready', status: 'active' })
})
