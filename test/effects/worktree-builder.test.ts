import { existsSync, lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { person } from '../../src/domain/actor.ts'
import { checkouts } from '../../src/effects/git-facts.ts'
import { look } from '../../src/effects/loops.ts'
import { outsideOf } from '../../src/effects/outside.ts'
import { buildWorktree } from '../../src/effects/worktree-builder.ts'
import { createWorktree } from '../../src/operations/create-worktree.ts'
import { getWorktreeStatus } from '../../src/operations/get-worktree-status.ts'
import { act, perform } from '../../src/operations/kernel/perform.ts'
import { refusal } from '../support/core.ts'
import { commit, git, openSwarm, read, sh, type Swarm, write } from './swarm.ts'

const names = async (swarm: Swarm): Promise<readonly string[]> => (await perform(swarm.core, getWorktreeStatus, {}, person)).map(({ name }) => name)
const branches = (swarm: Swarm): readonly string[] => git(swarm.root, 'branch', '--format=%(refname:short)').split('\n')

/** The wish for a worktree whose folder is not yet made. */
const wanted = async (swarm: Swarm, name: string) => {
  await perform(swarm.core, createWorktree, { name, branchName: `feature/${name}` }, person)
  return (await look(swarm.world)).worktrees.find((worktree) => worktree.name === name)!
}

describe('a worktree is made', () => {
  it('beside the repository with a new branch of main, locked with a reason', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    expect(folder).toBe(join(swarm.root, '../auth'))
    expect(git(folder, 'symbolic-ref', '--short', 'HEAD')).toBe('feature/auth')
    expect(git(folder, 'rev-parse', 'HEAD')).toBe(git(swarm.root, 'rev-parse', 'main'))
    expect((await checkouts(swarm.root))[1]).toEqual({
      path: folder,
      branch: 'refs/heads/feature/auth',
      lock: 'aiswarm works here: worktree auth',
    })
    expect(await swarm.worktree('auth')).toMatchObject({ folder: 'ready', status: 'active' })
    expect(git(swarm.root, 'config', '--get', '--default', 'none', 'branch.feature/auth.merge')).toBe('none')
  })

  it('on a branch that exists, where that branch stands', async () => {
    const swarm = await openSwarm()
    sh(swarm.root, 'git checkout -qb feature/auth; echo x > x; git add x; git commit -qm X; git checkout -q main')
    expect(existsSync(join(await swarm.build('auth'), 'x'))).toBe(true)
  })

  it('where the configuration says, in folders that are made for it', async () => {
    const swarm = await openSwarm({ config: 'worktrees: {path: "../work/of shop/{name}"}\n' })
    expect(await swarm.build('auth')).toBe(join(swarm.root, '../work/of shop/auth'))
    expect(read(swarm.root, '../work/of shop/auth/README.md')).toBe('a shop\n')
  })

  it("ten times at once, by three processes' worth of connections", async () => {
    const swarm = await openSwarm()
    const worlds = [swarm.world, await swarm.open(), await swarm.open()]
    const wishes = Array.from({ length: 10 }, (_, i) =>
      act({ core: worlds[i % 3]!.core, actor: person, outside: outsideOf(worlds[i % 3]!) }, createWorktree, {
        name: `w${i}`,
        branchName: `b${i}`,
      }),
    )
    expect((await Promise.all(wishes)).map(({ folder }) => folder)).toEqual(Array.from({ length: 10 }, () => 'ready'))
    expect(await checkouts(swarm.root)).toHaveLength(11)
    expect(sh(swarm.root, 'cat ../w*/README.md').split('\n')).toHaveLength(10)
  })
})

describe('a worktree that cannot be made leaves no row and says why:', () => {
  it('its path exists, and stays as it is', async () => {
    const swarm = await openSwarm()
    write(swarm.root, { '../auth/mine.txt': 'mine' })
    const { code, message } = await refusal(swarm.build('auth'))
    expect(code).toBe('path_exists')
    expect(message).toBe(`${join(swarm.root, '../auth')} already exists; choose another worktree name or move it away.`)
    expect(read(swarm.root, '../auth/mine.txt')).toBe('mine')
    expect(await names(swarm)).toEqual([])
    expect(branches(swarm)).toEqual(['main'])
  })

  it("its path is a person's own worktree of the same branch", async () => {
    const swarm = await openSwarm()
    git(swarm.root, 'worktree', 'add', '--quiet', '-b', 'feature/auth', '../auth')
    write(swarm.root, { '../auth/mine.txt': 'mine' })
    expect((await refusal(swarm.build('auth'))).code).toBe('path_exists')
    expect(read(swarm.root, '../auth/mine.txt')).toBe('mine')
  })

  it('its branch is checked out elsewhere', async () => {
    const swarm = await openSwarm()
    const { code, message } = await refusal(swarm.build('auth', 'main'))
    expect(code).toBe('git_failed')
    expect(message).toContain("'main' is already")
    expect(await names(swarm)).toEqual([])
    expect(existsSync(join(swarm.root, '../auth'))).toBe(false)
  })

  it('there is no branch to fork from', async () => {
    const swarm = await openSwarm()
    const { message } = await refusal(act(swarm.connection, createWorktree, { name: 'auth', branchName: 'a', sourceBranch: 'nowhere' }))
    expect(message).toBe('There is no branch nowhere to fork a from; name one with --source.')
    expect(await names(swarm)).toEqual([])
  })

  it('its setup fails', async () => {
    const swarm = await openSwarm({ config: 'worktrees: {setup: "echo installing; echo no network >&2; exit 4"}\n' })
    const { code, message } = await refusal(swarm.build('auth'))
    expect(code).toBe('setup_failed')
    expect(message).toContain('ended with exit code 4: no network; see ')
    expect(await names(swarm)).toEqual([])
    expect(branches(swarm)).toEqual(['main'])
    expect(existsSync(join(swarm.root, '../auth'))).toBe(false)
    expect(await checkouts(swarm.root)).toHaveLength(1)
    expect(read(swarm.root, '.aiswarm/logs/setup-auth.log')).toBe('installing\nno network\n')
  })

  it('its setup takes too long', async () => {
    const swarm = await openSwarm({ config: 'worktrees: {setup: "sleep 60 | sleep 60", setupTimeout: 200ms}\n' })
    expect((await refusal(swarm.build('auth'))).message).toContain('took longer than 0.2 s')
    expect(await names(swarm)).toEqual([])
  })

  it('its setup fails on a branch that existed, which stays', async () => {
    const swarm = await openSwarm({ config: 'worktrees: {setup: "exit 1"}\n' })
    git(swarm.root, 'branch', 'feature/auth')
    await refusal(swarm.build('auth'))
    expect(branches(swarm)).toEqual(['feature/auth', 'main'])
  })

  it('and its name can be used again', async () => {
    const swarm = await openSwarm()
    write(swarm.root, { '../auth/mine.txt': 'mine' })
    await refusal(swarm.build('auth'))
    rmSync(join(swarm.root, '../auth'), { recursive: true })
    await swarm.build('auth')
    expect(await names(swarm)).toEqual(['auth'])
  })
})

describe('before anyone works there', () => {
  it('the ignored files that .worktreeinclude lists are copied, and only those', async () => {
    const swarm = await openSwarm({
      files: {
        '.gitignore': '.env*\nsecret/\nbuilt/\n',
        '.worktreeinclude': '# local settings\n.env\nsecret/\nnotes.txt\n',
        'README.md': 'x',
      },
    })
    write(swarm.root, { '.env': 'KEY=1\n', '.env.other': 'x', 'secret/deep/key': 'k', 'built/a': 'x', 'notes.txt': 'not ignored' })
    mkdirSync(join(swarm.root, 'elsewhere'))
    symlinkSync('../elsewhere', join(swarm.root, 'secret/link'))
    const folder = await swarm.build('auth')
    expect(read(folder, '.env')).toBe('KEY=1\n')
    expect(read(folder, 'secret/deep/key')).toBe('k')
    expect(lstatSync(join(folder, 'secret/link')).isSymbolicLink() && readlinkSync(join(folder, 'secret/link'))).toBe('../elsewhere')
    expect(['.env.other', 'built', 'notes.txt', '.aiswarm'].filter((path) => existsSync(join(folder, path)))).toEqual([])
  })

  it('the configured setup runs in it, on its own repository', async () => {
    const swarm = await openSwarm({ config: 'worktrees: {setup: "git rev-parse --show-toplevel --abbrev-ref HEAD > setup.txt"}\n' })
    const folder = await swarm.build('auth')
    expect(read(folder, 'setup.txt')).toBe(`${folder}\nfeature/auth\n`)
  })
})

describe('after a crash', () => {
  it('between git and the record, the worktree is finished', async () => {
    const swarm = await openSwarm()
    const wish = await wanted(swarm, 'auth')
    git(swarm.root, 'worktree', 'add', '--quiet', '--lock', '--reason', 'aiswarm works here: worktree auth', '-b', 'feature/auth', wish.path)
    await buildWorktree(swarm.world, wish)
    expect(await swarm.worktree('auth')).toMatchObject({ folder: 'ready' })
    expect(git(wish.path, 'status', '--porcelain')).toBe('')
    expect(git(wish.path, 'symbolic-ref', '--short', 'HEAD')).toBe('feature/auth')
  })

  it('of git in the middle of its files, none of them is missing', async () => {
    const swarm = await openSwarm()
    const wish = await wanted(swarm, 'auth')
    git(swarm.root, 'worktree', 'add', '--quiet', '--lock', '--reason', 'aiswarm works here: worktree auth', '-b', 'feature/auth', wish.path)
    sh(wish.path, 'rm README.md; rm "$(git rev-parse --git-dir)/index"; touch "$(git rev-parse --git-dir)/index.lock"')
    await buildWorktree(swarm.world, wish)
    expect(git(wish.path, 'status', '--porcelain')).toBe('')
    expect(read(wish.path, 'README.md')).toBe('a shop\n')
  })

  it('after the branch alone, the branch is used', async () => {
    const swarm = await openSwarm()
    const wish = await wanted(swarm, 'auth')
    git(swarm.root, 'branch', 'feature/auth')
    const tip = git(swarm.root, 'rev-parse', 'main')
    commit(swarm.root, { later: 'x' })
    await buildWorktree(swarm.world, wish)
    expect(git(wish.path, 'rev-parse', 'HEAD')).toBe(tip)
  })

  it('a loop finds what remains and does it', async () => {
    const swarm = await openSwarm()
    await wanted(swarm, 'auth')
    await swarm.turn()
    expect(await swarm.worktree('auth')).toMatchObject({ folder: 'ready' })
  })
})
