import { spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Census } from '../../../src/contracts/observations.ts'
import { shellWord } from '../../../src/domain/words/shell-words.ts'
import { keptWords, landedWords } from '../../../src/operations/worktrees/census.ts'
import { removeWorktree } from '../../../src/effects/archive/remover.ts'
import { wishesOf } from '../../../src/effects/wishes.ts'
import { discardWorktree } from '../../../src/operations/worktrees/discard.ts'
import { act } from '../../../src/operations/perform/perform.ts'
import { emptyCensus } from '../../support/census.ts'
import { refusal } from '../../support/core.ts'
import { commit, git, openSwarm, sh, type Swarm, until, write } from '../swarm.ts'

const censusOf = (swarm: Swarm, name = 'auth') => swarm.connection.outside.census(name)

const sorted = (census: Census) => ({
  uncommitted: [...census.uncommitted].sort(),
  untracked: [...census.untracked].sort(),
  ignored: [...census.ignored].sort(),
})

describe('the census', () => {
  it('of an unchanged worktree is empty', async () => {
    const swarm = await openSwarm({ files: { a: 'a', 'b/c': 'c' } })
    await swarm.build('auth')
    expect(await censusOf(swarm)).toEqual({
      ...emptyCensus,
      landed: { target: 'main', how: 'merged', commits: 0, picked: 0 },
    })
    expect(keptWords(await censusOf(swarm))).toEqual([])
  })

  it('distinguishes changed, new, ignored, too large and rebuilt files', async () => {
    const swarm = await openSwarm({
      files: {
        '.gitignore': 'node_modules/\n.env\nnotes/\n*.iso\nbuild/\n',
        a: 'a',
        gone: 'g',
        staged: 's',
        mode: 'm',
      },
    })
    const folder = await swarm.build('auth')
    sh(folder, 'mkdir build; echo k > build/kept; git add -f build/kept')
    commit(folder, { own: 'x' })
    write(folder, {
      a: 'changed',
      new: 'n',
      '.env': 'x',
      'notes/n': 'x',
      'node_modules/m/index.js': 'x',
      'build/out': 'o',
      'src/out/main.c': 'no build makes this',
    })
    writeFileSync(join(folder, 'large.iso'), Buffer.alloc(51 * 1024 * 1024))
    sh(
      folder,
      'rm gone; echo more >> staged; git add staged; chmod +x mode; mkfifo pipe; touch own; git init -q inner; echo i > inner/i',
    )
    const census = await censusOf(swarm)
    expect(sorted(census)).toEqual({
      uncommitted: ['a', 'gone', 'mode', 'staged'],
      untracked: ['new', 'src/out/main.c'],
      ignored: ['.env', 'build/out', 'notes/n'],
    })
    expect(census).toMatchObject({
      beyond: ['large.iso'],
      regenerable: ['node_modules'],
      nested: ['inner'],
      special: ['pipe'],
      commits: 1,
      inProgress: null,
      head: null,
    })
  })

  it('of a sparse checkout does not report left-out files as missing, and reports files in their place', async () => {
    const swarm = await openSwarm({ files: { 'src/a': 'a\n', 'docs/b': 'b\n', 'docs/c': 'c\n', 'docs/d': 'd\n' } })
    const folder = await swarm.build('auth')
    sh(folder, 'git sparse-checkout set src')
    expect(sorted(await censusOf(swarm))).toEqual({ uncommitted: [], untracked: [], ignored: [] })
    write(folder, { 'docs/b': 'mine\n', 'docs/c': 'c\n', 'docs/new': 'n\n' })
    expect(sorted(await censusOf(swarm))).toEqual({ uncommitted: ['docs/b'], untracked: ['docs/new'], ignored: [] })
    // The main checkout's own sparse files do not concern the worktree.
    sh(swarm.root, 'git sparse-checkout set docs')
    expect((await censusOf(swarm)).uncommitted).toEqual(['docs/b'])
    rmSync(join(folder, 'src/a'))
    expect((await censusOf(swarm)).uncommitted.toSorted()).toEqual(['docs/b', 'src/a'])
  })

  it.each([
    ['as it is', '', 'elsewhere', (line: string) => `'${line}'`],
    ['after it was unlocked', 'git worktree unlock ../auth; ', 'elsewhere', (line: string) => `'${line}'`],
    ['to a folder whose name has a blank', '', 'else where', (line: string) => line],
  ])(
    'of a worktree that was moved %s names its place, and the worktree is not discarded',
    async (_, before, name, quoted) => {
      const swarm = await openSwarm()
      const folder = await swarm.build('auth')
      write(folder, { wip: 'x' })
      sh(swarm.root, `${before}git worktree move -f -f ../auth '../${name}'`)
      const elsewhere = join(swarm.root, '..', name)
      const back = `git worktree move -f -f ${shellWord(elsewhere)} ${folder}`
      const sentence = `Worktree auth was moved to ${elsewhere} with all its files; move it back (${quoted(back)}), then try again.`
      expect((await refusal(censusOf(swarm))).message).toBe(sentence)
      expect(
        (await refusal(act(swarm.connection, discardWorktree, { worktreeName: 'auth', reason: 'x' }))).message,
      ).toBe(sentence)
      sh(swarm.root, back)
      await act(swarm.connection, discardWorktree, { worktreeName: 'auth', reason: 'x' }).catch(() => {})
      await until('the removal', async () => {
        for (const worktree of (await wishesOf(swarm.world)).worktrees) await removeWorktree(swarm.world, worktree)
        return (await swarm.worktree('auth')).folder === 'gone'
      })
      expect(git(swarm.root, 'ls-tree', '--name-only', (await swarm.worktree('auth')).archiveRef!)).toContain('wip')
    },
  )

  it('counts the commits that only this worktree has, from every earlier position of its HEAD', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    commit(folder, { a: 'x' })
    commit(folder, { b: 'x' })
    expect(await censusOf(swarm)).toMatchObject({ commits: 2, landed: { how: null, commits: 2, picked: 0 } })
    sh(folder, 'git reset -q --hard HEAD~1; git checkout -q --detach')
    const detached = commit(folder, { c: 'x' })
    expect(await censusOf(swarm)).toMatchObject({ commits: 3, head: detached })
    git(swarm.root, 'branch', 'copy', detached)
    expect(await censusOf(swarm)).toMatchObject({ commits: 1 })
    sh(folder, 'git checkout -q -b elsewhere')
    expect(await censusOf(swarm)).toMatchObject({ head: 'elsewhere' })
  })

  it('names the operation in progress and the stashes of the worktree', async () => {
    const swarm = await openSwarm({ files: { a: 'a\n' } })
    const folder = await swarm.build('auth')
    sh(
      folder,
      'echo mine > a; git stash -q -m "for later"; git checkout -q --detach; echo two > a; git stash -q; git checkout -q -b side; echo three > a; git stash -q; git checkout -q feature/auth',
    )
    sh(swarm.root, 'echo theirs > a; git stash -q -m "of main"; echo other > a; git commit -qam Other')
    sh(folder, 'echo mine > a; git commit -qam Mine; git merge -q main || true')
    const census = await censusOf(swarm)
    expect(census).toMatchObject({ inProgress: 'merge', uncommitted: ['a'] })
    expect(census.stashes).toEqual([
      expect.stringMatching(/^WIP on side/),
      expect.stringMatching(/^WIP on \(no branch\)/),
      'On feature/auth: for later',
    ])
    expect(keptWords(census)).toContain('a merge in progress, in its current state')
  })

  it('of a missing folder reports what git still has of it', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    commit(folder, { a: 'x' })
    rmSync(folder, { recursive: true })
    expect(await censusOf(swarm)).toMatchObject({ uncommitted: [], untracked: [], commits: 1 })
  })

  it('names the processes that work inside, and their owners', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    mkdirSync(join(folder, 'deep'))
    const started = (environment: Record<string, string>) => {
      const child = spawn('sleep', ['60'], {
        cwd: join(folder, 'deep'),
        env: { PATH: process.env['PATH'], ...environment },
        stdio: 'ignore',
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      return child.pid
    }
    const foreign = started({ AISWARM_ROOT: swarm.root, AISWARM_WORKTREE: 'auth' })
    const ours = started({ AISWARM_ROOT: swarm.root, AISWARM_AGENT_ID: 'dev', AISWARM_RUN: '1' })
    const others = started({ AISWARM_ROOT: '/another/repository', AISWARM_AGENT_ID: 'dev' })
    const processes = await until('the processes', async () => {
      const found = (await censusOf(swarm)).processes
      return found.length === 3 && found.every(({ name }) => name === 'sleep') && found
    })
    expect([...processes].sort((a, b) => a.pid - b.pid)).toEqual([
      { pid: foreign, name: 'sleep', ours: false },
      { pid: ours, name: 'sleep', ours: true },
      { pid: others, name: 'sleep', ours: false },
    ])
  })
})

describe('work that the target already has is recognized', () => {
  const landed = async (script: string) => {
    const swarm = await openSwarm({ files: { a: '1\n2\n3\n4\n5\n6\n7\n8\n' } })
    const folder = await swarm.build('auth')
    sh(
      folder,
      "sed -i 's/^2$/two/' a; git commit -qam Two; sed -i 's/^7$/seven/' a; git commit -qam Seven; echo n > n; git add n; git commit -qm New",
    )
    sh(swarm.root, `echo other > other; git add other; git commit -qm Other; ${script}`)
    const census = await censusOf(swarm)
    return { ...census.landed, words: landedWords(census) }
  }

  it('if it is squash-merged', async () => {
    const squash = 'git merge -q --squash feature/auth; git commit -qm Squashed'
    expect(await landed(squash)).toMatchObject({
      how: 'contained',
      commits: 3,
      picked: 0,
      words: 'Its work is already in main: merging it would change nothing.',
    })
    // Changed again since then, so that a merge would differ.
    expect(await landed(`${squash}; sed -i 's/^two$/zwei/' a; git commit -qam Zwei`)).toMatchObject({
      how: 'squashed',
      words: 'Its work is already in main, squashed into one commit.',
    })
  })

  it('if all or some of it is cherry-picked', async () => {
    expect(await landed('git cherry-pick feature/auth~2 feature/auth~1 feature/auth')).toMatchObject({
      how: 'picked',
      picked: 3,
    })
    expect(await landed('git cherry-pick feature/auth~1')).toMatchObject({
      how: null,
      commits: 3,
      picked: 1,
      words: '1 of its 3 commits is already in main, cherry-picked.',
    })
  })

  it('if it is merged or rewritten to the same files', async () => {
    expect(await landed('git merge -q --no-edit feature/auth')).toMatchObject({
      how: 'merged',
      words: 'Its commits are already in main.',
    })
    expect(
      await landed(
        'git checkout -q feature/auth -- a; git commit -qm Some; git checkout -q feature/auth -- n; git commit -qm More',
      ),
    ).toMatchObject({ how: 'contained' })
    expect(await landed('true')).toMatchObject({ how: null, picked: 0, words: undefined })
  })
})
