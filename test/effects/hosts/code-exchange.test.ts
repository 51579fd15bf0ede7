import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { person, system } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { defaultSettings } from '../../../src/domain/settings/settings.ts'
import { holdsSecret, isSecretFile } from '../../../src/domain/words/secrets.ts'
import { removeWorktree } from '../../../src/effects/archive/remover.ts'
import { moveWork, pushSnapshot, snapshotJobsOf } from '../../../src/effects/hosts/code-exchange.ts'
import { buildWorktree } from '../../../src/effects/worktrees/builder.ts'
import type { World } from '../../../src/effects/world.ts'
import { joinHost, makeJoinCode } from '../../../src/operations/hosts/membership.ts'
import { setRemote } from '../../../src/operations/hosts/remote.ts'
import { takeHost } from '../../../src/operations/hosts/worker.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { readWishes } from '../../../src/operations/supervision/wishes.ts'
import { createWorktreeOn } from '../../../src/operations/worktrees/create.ts'
import { readMove, requestMove } from '../../../src/operations/worktrees/moves.ts'
import { B } from '../../support/board-of-hosts.ts'
import { refusal, temporaryFolder } from '../../support/core.ts'
import { trash } from '../archived.ts'
import { commit, git, openSwarm, sh, write } from '../swarm.ts'

const worktree = { name: 'w', branch: 'w', path: '/nowhere', folder: 'ready', wipOid: null }
const second = 1000

describe('the snapshots of a host', () => {
  const jobsOf = () => {
    const core = { host: 'bbbbbbbb', root: join(temporaryFolder(), 'shop'), settings: defaultSettings }
    const jobs = snapshotJobsOf({ core } as unknown as World)
    return (wishes: object, now: number) =>
      jobs(
        { remote: { url: '/shop.git', refs: 'own' }, snapshots: true, worktrees: [worktree], ...wishes } as never,
        now,
      )
  }

  it('are taken only if a person allows it, and the hosts exchange code', () => {
    const jobs = jobsOf()
    expect(jobs({}, 0).map(({ key }) => key)).toEqual(['wip w'])
    expect(jobs({ snapshots: false }, 0)).toEqual([])
    expect(jobs({ remote: null }, 0)).toEqual([])
    expect(jobs({ worktrees: [{ ...worktree, folder: 'building' }] }, 0)).toEqual([])
  })

  it('are taken of a worktree at most once a minute, also if one fails', async () => {
    const jobs = jobsOf()
    await expect(jobs({}, 0)[0]!.run()).rejects.toThrow()
    expect(jobs({}, 59 * second)).toEqual([])
    expect(jobs({}, 60 * second)).toHaveLength(1)
  })

  it('are deleted on the remote when a person forbids them', () => {
    expect(jobsOf()({ snapshots: false, worktrees: [{ ...worktree, wipOid: 'a'.repeat(40) }] }, 0)).toHaveLength(1)
  })
})

describe('the snapshot of a worktree that leaves its host', () => {
  /** The snapshot of a real worktree, pushed to a real remote. */
  const snapshotOf = async (files: string, staged = '') => {
    const swarm = await openSwarm({ files: { '.gitignore': 'ignored/\n', 'kept.txt': 'kept\n' } })
    const folder = await swarm.build('w')
    const url = join(temporaryFolder(), 'shop.git')
    sh(swarm.root, `git clone --quiet --bare . "${url}"`)
    sh(folder, files)
    if (staged !== '') sh(folder, `git add --force ${staged}`)
    const { path, branchName: branch } = await swarm.worktree('w')
    const remote = { root: swarm.root, url }
    const { oid, remark } = await pushSnapshot(
      swarm.world,
      { remote, host: 'b' },
      { name: 'w', branch, path, wipOid: null },
    )
    const names = oid === null ? [] : git(url, 'ls-tree', '-r', '--name-only', 'refs/aiswarm/wip/b/w').split('\n')
    return { swarm, url, oid, names, remark, text: (name: string) => git(url, 'show', `refs/aiswarm/wip/b/w:${name}`) }
  }

  it('has everything that git does not ignore', async () => {
    const { names, remark, text } = await snapshotOf(
      'echo new > new.txt; echo more > kept.txt; mkdir ignored; echo x > ignored/x',
    )
    expect(names.sort()).toEqual(['.gitignore', 'kept.txt', 'new.txt'])
    expect(text('kept.txt')).toBe('more')
    expect(remark).toBe(null)
  })

  it('is deleted on the remote when a person forbids snapshots', async () => {
    const { swarm, url, oid } = await snapshotOf('echo new > new.txt')
    expect(oid).not.toBe(null)
    const jobs = snapshotJobsOf({ ...swarm.world, core: { ...swarm.core, host: 'b' } })
    const work = { ...worktree, wipOid: oid }
    for (const job of jobs({ remote: { url, refs: 'own' }, snapshots: false, worktrees: [work] } as never, 0))
      await job.run()
    expect(git(url, 'for-each-ref', 'refs/aiswarm/wip')).toBe('')
  })

  it('has no files with secrets, also where they are staged, and names them', async () => {
    const token = `token = "ghp_${'a'.repeat(36)}"`
    const { names, remark, text } = await snapshotOf(
      `echo 'A=${'x'.repeat(12)}' > .env; echo '${token}' > staged.txt; echo '${token}' > loose.txt; echo '${token}' > kept.txt; echo new > new.txt`,
      '.env staged.txt',
    )
    expect(names.sort()).toEqual(['.gitignore', 'kept.txt', 'new.txt'])
    expect(text('kept.txt')).toBe('kept')
    expect(remark).toBe('it leaves out files with secrets: .env, kept.txt, staged.txt, loose.txt')
  })

  it('has no files larger than 8 MB, also where they are staged, and names them', async () => {
    const { names, remark, text } = await snapshotOf(
      'for n in staged loose kept; do head -c 9M /dev/zero > $n.txt; done; echo new > new.txt',
      'staged.txt kept.txt',
    )
    expect(names.sort()).toEqual(['.gitignore', 'kept.txt', 'new.txt'])
    expect(text('kept.txt')).toBe('kept')
    expect(remark).toBe('it leaves out files larger than 8 MB: kept.txt, staged.txt, loose.txt')
  })
})

describe('a file with secrets', () => {
  it('is known by its name, or by a line in it', () => {
    for (const name of ['.env', 'a/.env.local', 'tls/server.key', 'id_ed25519', '.pgpass'])
      expect(isSecretFile(name), name).toBe(true)
    for (const name of ['.env.example', 'keys.ts', 'environment.md']) expect(isSecretFile(name), name).toBe(false)
    expect(holdsSecret(`one\ntoken = "ghp_${'a'.repeat(36)}"\nthree`)).toBe(true)
    expect(holdsSecret('const token = readToken()\n')).toBe(false)
  })
})

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
