import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync, utimesSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { databasePath } from '../../../src/effects/files/paths.ts'
import { checkouts } from '../../../src/effects/git/repository.ts'
import { processesMarked } from '../../../src/effects/processes/table.ts'
import { wishesOf } from '../../../src/effects/wishes.ts'
import { reasonFor } from '../../../src/effects/worktrees/admin-files.ts'
import { buildWorktree } from '../../../src/effects/worktrees/builder.ts'
import { builderMarkers, madeRef } from '../../../src/effects/worktrees/building-site.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { createWorktree } from '../../../src/operations/worktrees/create.ts'
import { getWorktreeStatus } from '../../../src/operations/worktrees/status.ts'
import { migrations, refusal } from '../../support/core.ts'
import { dose } from '../../support/dose.ts'
import { needs } from '../../support/needs.ts'
import { outcome, startFixture, tamper } from '../../support/store.ts'
import { commit, git, openSwarm, read, repository, sh, type Swarm, until, write } from '../swarm.ts'

/** A small disk needs namespaces, which not every system provides. */
const canMount = spawnSync('unshare', ['-Urm', 'true']).status === 0

/** The wish for a worktree whose folder is not yet created. */
const wanted = async (swarm: Swarm, name = 'auth') => {
  await perform(swarm.core, createWorktree, { name, branchName: `feature/${name}` }, person)
  return (await wishesOf(swarm.world)).worktrees.find((worktree) => worktree.name === name)!
}

const reason = reasonFor('auth')
const branches = (swarm: Swarm): readonly string[] => git(swarm.root, 'branch', '--format=%(refname:short)').split('\n')

/** The complete result: one worktree, its files, its branch, nothing else. */
const expectWhole = async (swarm: Swarm): Promise<void> => {
  const folder = swarm.path('../auth')
  expect(await swarm.worktree('auth')).toMatchObject({ folder: 'ready' })
  expect(git(folder, 'status', '--porcelain')).toBe('')
  expect(read(folder, 'README.md')).toBe('a shop\n')
  expect(git(folder, 'symbolic-ref', '--short', 'HEAD')).toBe('feature/auth')
  expect(await checkouts(swarm.root)).toHaveLength(2)
  expect(sh(swarm.root, 'ls .git/worktrees')).toBe('auth')
  expect(git(swarm.root, 'for-each-ref', 'refs/aiswarm/made')).toBe('')
}

/** Nothing of it. */
const expectNothing = async (swarm: Swarm): Promise<void> => {
  expect(await perform(swarm.core, getWorktreeStatus, {}, person)).toEqual([])
  expect(existsSync(swarm.path('../auth'))).toBe(false)
  expect(await checkouts(swarm.root)).toHaveLength(1)
  expect(branches(swarm)).toEqual(['main'])
  expect(git(swarm.root, 'for-each-ref', 'refs/aiswarm')).toBe('')
}

/** The state after each step if everything ends there. */
const steps: Readonly<Record<string, (swarm: Swarm) => void>> = {
  'before the first step': () => {},
  'after the branch': ({ root }) => void git(root, 'update-ref', madeRef('auth'), git(root, 'rev-parse', 'main')),
  'after the lock of the registration': (swarm) => {
    steps['after the branch']!(swarm)
    git(swarm.root, 'branch', 'feature/auth')
    write(swarm.root, { '.git/worktrees/auth/locked': reason })
    mkdirSync(swarm.path('../auth'))
  },
  'after the registration': (swarm) => {
    steps['after the branch']!(swarm)
    git(
      swarm.root,
      'worktree',
      'add',
      '--quiet',
      '--no-checkout',
      '--lock',
      '--reason',
      reason,
      '-b',
      'feature/auth',
      swarm.path('../auth'),
    )
  },
  'in the middle of the files': (swarm) => {
    steps['after the registration']!(swarm)
    sh(swarm.path('../auth'), 'touch "$(git rev-parse --git-dir)/index.lock"; echo half > half')
  },
  'after the files': (swarm) => {
    steps['after the registration']!(swarm)
    git(swarm.path('../auth'), 'reset', '--hard', '--quiet')
    write(swarm.root, { '../auth/.env': 'copied' })
  },
  'during its own cleanup': (swarm) => {
    steps['after the registration']!(swarm)
    rmSync(swarm.path('../auth'), { recursive: true })
  },
  'after only the branch, with a later commit on main': (swarm) => {
    git(swarm.root, 'branch', 'feature/auth')
    steps['after the branch']!(swarm)
    commit(swarm.root, { later: 'x' })
  },
}

for (const [step, leave] of Object.entries(steps)) {
  it(`a creation that was interrupted ${step} is completed by the next try`, async () => {
    const swarm = await openSwarm()
    const wish = await wanted(swarm)
    leave(swarm)
    await buildWorktree(swarm.world, wish)
    await expectWhole(swarm)
    expect(git(wish.path, 'rev-parse', 'HEAD')).toBe(git(swarm.root, 'rev-parse', 'main'))
  })

  it(`a creation that was interrupted ${step} leaves nothing if the next try fails`, async () => {
    const swarm = await openSwarm({ config: 'worktrees: {setup: exit 1}\n' })
    const wish = await wanted(swarm)
    leave(swarm)
    await refusal(buildWorktree(swarm.world, wish))
    await expectNothing(swarm)
  })
}

it('a branch that existed before is used unchanged, and kept', async () => {
  const swarm = await openSwarm()
  const wish = await wanted(swarm)
  git(swarm.root, 'branch', 'feature/auth')
  const tip = git(swarm.root, 'rev-parse', 'main')
  commit(swarm.root, { later: 'x' })
  await buildWorktree(swarm.world, wish)
  expect(git(wish.path, 'rev-parse', 'HEAD')).toBe(tip)
})

it('a loop finds and completes an interrupted creation', async () => {
  const swarm = await openSwarm()
  await wanted(swarm)
  await swarm.turn()
  await expectWhole(swarm)
})

it('an interrupted creation is found in a folder that a link leads to', async () => {
  const swarm = await openSwarm({ config: 'worktrees: {path: "../link/{name}"}\n' })
  sh(swarm.root, 'mkdir ../real; ln -s real ../link')
  const wish = await wanted(swarm)
  git(
    swarm.root,
    'worktree',
    'add',
    '--quiet',
    '--no-checkout',
    '--lock',
    '--reason',
    reason,
    '-b',
    'feature/auth',
    wish.path,
  )
  rmSync(wish.path, { recursive: true })
  await buildWorktree(swarm.world, wish)
  expect(read(swarm.root, '../real/auth/README.md')).toBe('a shop\n')
})

it('a folder of an earlier try is removed even while a late process still writes into it', async () => {
  const swarm = await openSwarm()
  const wish = await wanted(swarm)
  const site = join(dirname(wish.path), '.aiswarm-building-auth-0123456789ab')
  mkdirSync(site)
  const late = spawn(
    '/bin/sh',
    ['-c', 'n=0; while [ $n -lt 20000 ]; do : > "$0/$n"; n=$((n + 1)); done 2> /dev/null', site],
    { stdio: 'ignore' },
  )
  const ended = once(late, 'exit')
  await until('its writing', () => existsSync(join(site, '100')))
  await buildWorktree(swarm.world, wish)
  await ended
  await expectWhole(swarm)
  expect(existsSync(site)).toBe(false)
})

it('a worktree of the same name from another time is not cleaned up', async () => {
  const swarm = await openSwarm()
  const folder = await swarm.build('auth')
  write(folder, { work: 'an hour of it' })
  const before = new Date(Date.now() - 60_000)
  utimesSync(swarm.path('.git/worktrees/auth/locked'), before, before)
  swarm.core.store.close()
  sh(swarm.root, 'rm .aiswarm/coordination.db*')
  const anew = await openSwarm({ root: swarm.root })
  expect((await refusal(anew.build('auth'))).code).toBe('path_exists')
  expect(read(folder, 'work')).toBe('an hour of it')
  expect(branches(anew)).toEqual(['feature/auth', 'main'])
})

describe('a process that is killed with kill -9', () => {
  const maker = (swarm: Swarm, name = 'auth') => startFixture('worktree-maker', [swarm.root, migrations, name])

  it('during its setup leaves a setup that is ended before the next one starts', async () => {
    const swarm = await openSwarm({
      config: 'worktrees: {setup: "echo here >> ../setups; test -e ../again || sleep 1000 & wait"}\n',
    })
    const child = maker(swarm)
    await until('the setup', () => existsSync(swarm.path('../setups')))
    child.kill('SIGKILL')
    await outcome(child)
    write(swarm.root, { '../again': '' })
    sh(swarm.root, 'touch ../auth/half')
    // The roles of the killed process are free when its lease expires.
    tamper(databasePath(swarm.root), "UPDATE deadlines SET ends_ms = 0 WHERE subject = 'role'")
    await swarm.turn()
    await expectWhole(swarm)
    expect(read(swarm.root, '../setups')).toBe('here\nhere\n')
    if (process.platform === 'linux') expect(processesMarked(builderMarkers(swarm.root, 'auth'))).toEqual([])
  })
})

/** The number of processes that create a worktree at the same time. */
const MAKERS = dose(20, 6)

it(`${MAKERS} processes create ${MAKERS} worktrees at once, each complete and with a port of its own`, async () => {
  const swarm = await openSwarm()
  const made = await Promise.all(
    Array.from({ length: MAKERS }, (_, i) =>
      outcome(startFixture('worktree-maker', [swarm.root, migrations, `w${i}`])),
    ),
  )
  expect(made.map(({ output }) => output.split(' ')[0])).toEqual(Array.from({ length: MAKERS }, () => 'ready'))
  expect(new Set(made.map(({ output }) => output.trim().split(' ')[1])).size).toBe(MAKERS)
  expect(await checkouts(swarm.root)).toHaveLength(MAKERS + 1)
  expect(sh(swarm.root, 'cat ../w*/README.md').split('\n')).toHaveLength(MAKERS)
  for (let i = 0; i < MAKERS; i++)
    expect(git(swarm.path(`../w${i}`), 'status', '--porcelain', '--branch')).toBe(`## feature/w${i}`)
}, 600_000)

it('a full or read-only disk leaves nothing of a worktree, and the next try works afterwards', async (context) => {
  needs(context, canMount, 'this machine allows no mount in a namespace')
  const swarm = await openSwarm({
    config: 'worktrees: {path: "../small/{name}"}\n',
    root: repository({ big: 'x'.repeat(3_000_000) }),
  })
  mkdirSync(swarm.path('../small'))
  const script = resolve(import.meta.dirname, '../../fixtures/cramped-disk.sh')
  const maker = resolve(import.meta.dirname, '../../fixtures/worktree-maker.ts')
  const said = execFileSync('unshare', ['-Urm', 'sh', script, swarm.root, migrations, process.execPath, maker], {
    encoding: 'utf8',
  })
    .trimEnd()
    .split('\n')
  expect(said).toEqual([
    expect.stringMatching(
      /^not_writable The files of feature\/auth could not all be written below .*small \(error: unable to write file big\); make room on its disk and try again\.$/,
    ),
    expect.stringMatching(/^ready \d+$/),
    `not_writable ${swarm.path('../small')} is not writable; change its permissions, or choose another folder with worktrees.path in .aiswarm/config.yaml.`,
  ])
  expect(branches(swarm)).toEqual(['feature/auth', 'main'])
}, 600_000)
