import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { trustPrograms } from '../../../src/effects/git/drivers.ts'
import { askGit } from '../../../src/effects/git/git.ts'
import { changedPaths } from '../../../src/effects/git/working-tree.ts'
import { machine } from '../../../src/effects/sandbox/machine.ts'
import { releaseGit } from '../../../src/effects/worktree-git/branch.ts'
import { removeWorktreeGit } from '../../../src/effects/worktree-git/folder.ts'
import { keepTips } from '../../../src/effects/worktree-git/kept.ts'
import { showRefs } from '../../../src/effects/worktree-git/shown-refs.ts'
import { refusal, temporaryFolder } from '../../support/core.ts'
import { needs } from '../../support/needs.ts'
import { commit, git, sh } from '../swarm.ts'
import { opened, reopened } from './inside.ts'

beforeEach(async (context) => {
  needs(context, 'bubblewrap' in (await machine()), 'nothing can be confined')
  vi.stubEnv('AISWARM_SANDBOX', 'auto')
  return () => vi.unstubAllEnvs()
})

/** Every file below a folder with its content, for comparison. */
const everything = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(folder.length), readFileSync(path, 'latin1')]),
  )

describe('a commit inside', () => {
  it('moves the branch outside, whose index follows', async () => {
    const { root, folder, inside, imported, tip } = await opened()
    expect(inside('echo a > a && git add a && git commit -qm "Add a" && git status --short').out).toBe('')
    expect(await imported()).toBeUndefined()
    expect(git(root, 'log', '-1', '--format=%s', tip())).toBe('Add a')
    expect(git(folder, 'status', '--short')).toBe('')
    expect(git(root, 'fsck', '--strict')).toBe('')
    expect(readdirSync(join(root, '.git/objects/aiswarm'))).toEqual([])
  })

  it('is not in the repository until it is imported, and finds the history, the ignored files and the reflog', async () => {
    const { root, inside, tip } = await opened({ 'README.md': 'a shop\n', '.gitignore': 'out\n' })
    const before = everything(join(root, '.git'))
    const main = tip('main')
    const lines = [
      'touch out',
      'git commit -q --allow-empty -m Own',
      'git log --format=%s',
      'git status --short',
      'git reflog -2 --format=%gs',
    ]
    expect(inside(lines.join(' && ')).out).toBe(
      `Own\nBegin\ncommit: Own\n${inside('git reflog -1 --skip=1 --format=%gs').out}`,
    )
    expect(tip()).toBe(main)
    expect(everything(join(root, '.git'))).toEqual(before)
  })

  it('leaves staged what a person has staged outside, and nothing else is', async () => {
    const { folder, inside, imported } = await opened({ 'README.md': 'a shop\n', other: 'other\n' })
    writeFileSync(join(folder, 'mine'), 'mine')
    git(folder, 'add', 'mine')
    inside('echo x > own && echo x > other && git add own other && git commit -qm Own')
    expect(await imported()).toBeUndefined()
    expect(git(folder, 'diff', '--cached', '--name-only')).toBe('mine')
  })

  it('says so where a person has staged the same file', async () => {
    const { folder, inside, imported, tip } = await opened({ 'README.md': 'a shop\n', other: 'other\n' })
    writeFileSync(join(folder, 'other'), 'mine\n')
    git(folder, 'add', 'other')
    inside('echo x > other && git add other && git commit -qm Own')
    const start = tip()
    expect(await imported()).toContain('is in the way')
    expect(tip()).not.toBe(start)
    expect(git(folder, 'show', ':other')).toBe('mine')
  })

  it('is amended and rebased as anywhere', async () => {
    const { root, inside, imported, tip } = await opened()
    inside('echo a > a && git add a && git commit -qm "Add a" && echo b > b && git add b && git commit -qm "Add b"')
    await imported()
    expect(inside('git rebase -q --onto main HEAD~1 && git commit -q --amend -m "Only b"')).toEqual({
      out: '',
      code: 0,
    })
    expect(await imported()).toBeUndefined()
    expect(git(root, 'log', '--format=%s', tip())).toBe('Only b\nBegin')
  })

  it('of a person outside moves the branch inside, if the run has nothing of its own', async () => {
    const { folder, inside, imported, tip } = await opened()
    const mine = commit(folder, { mine: 'mine' }, 'Mine')
    expect(await imported()).toBeUndefined()
    expect(inside('git rev-parse HEAD && git status --short').out).toBe(mine)
    inside('echo own > own && git add own && git commit -qm Own')
    await imported()
    expect(git(folder, 'log', '--format=%s', tip())).toBe('Own\nMine\nBegin')
    expect(git(folder, 'status', '--short')).toBe('')
  })

  it('is kept beside the branch, if a person has moved it too', async () => {
    const { root, folder, inside, imported, tip } = await opened()
    inside('git commit -q --allow-empty -m Own')
    const mine = commit(folder, { mine: 'mine' }, 'Mine')
    expect(await imported()).toContain('merge them by hand')
    expect(tip()).toBe(mine)
    const kept = git(root, 'for-each-ref', '--format=%(subject)', 'refs/aiswarm/kept/auth')
    expect(kept).toBe('Own')
  })
})

describe('the repository inside', () => {
  it('shows the branches, tags and remote branches of the repository, and none of its stashes', async () => {
    const { inside } = await opened(undefined, (root) => {
      git(root, 'tag', 'v1')
      git(root, 'update-ref', 'refs/remotes/origin/main', 'HEAD')
      git(root, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main')
      sh(root, 'echo mine > README.md; git stash -q')
    })
    const refs = inside('git for-each-ref --format="%(refname) %(symref)"')
      .out.split('\n')
      .map((line) => line.trim())
    expect(refs).toEqual([
      'refs/heads/feature/auth',
      'refs/heads/main',
      'refs/remotes/origin/HEAD refs/remotes/origin/main',
      'refs/remotes/origin/main',
      'refs/tags/v1',
    ])
  })

  it('shows what becomes of other branches, and keeps those that it has made itself', async () => {
    const { root, own, inside } = await opened(undefined, (root) => git(root, 'branch', 'old'))
    inside('git branch mine')
    const moved = commit(root, { b: 'b' }, 'Move main')
    git(root, 'branch', '-D', 'old')
    git(root, 'branch', 'new')
    await showRefs(own)
    expect(inside('git rev-parse main new mine').out).toBe([moved, moved, git(root, 'rev-parse', 'main~1')].join('\n'))
    expect(inside('git rev-parse -q --verify old').code).toBe(1)
  })

  it('has the settings and hooks of the repository, without its passwords', async () => {
    const { inside } = await opened(undefined, (root) => {
      for (const [key, value] of [
        ['remote.origin.url', 'https://ada:hunter2@example.com/shop.git'],
        ['http.https://example.com/.extraHeader', 'Authorization: hunter2'],
        ['credential.helper', '!echo hunter2'],
        ['url.https://ada:hunter2@example.com/.insteadOf', 'gh:'],
        ['filter.x.clean', 'tr a-z "A-Z" # "quoted" \\'],
      ])
        git(root, 'config', key!, value!)
      writeFileSync(join(root, 'person'), '[http]\n\textraHeader = hunter2\n[alias]\n\tx = status\n')
      git(root, 'config', 'include.path', join(root, 'person'))
      mkdirSync(join(root, '.git/hooks'), { recursive: true })
      writeFileSync(join(root, '.git/hooks/pre-commit'), '#!/bin/sh\necho hook ran\n', { mode: 0o755 })
    })
    expect(inside('cat "$(git rev-parse --git-common-dir)/config"; git config --list').out).not.toContain('hunter2')
    expect(inside('git config remote.origin.url; git config alias.x; git config filter.x.clean').out).toBe(
      'https://example.com/shop.git\nstatus\ntr a-z "A-Z" # "quoted" \\',
    )
    expect(inside('git commit -q --allow-empty -m x').out).toContain('hook ran')
    expect(inside('echo x > "$(git rev-parse --git-common-dir)/hooks/pre-commit"').code).not.toBe(0)
  })

  it('passes to the next start with what is staged, stashed and in progress', async () => {
    const { root, folder, inside, imported } = await opened()
    inside('echo 1 > a && git add a && git commit -qm One && echo s > s && git stash -qu && echo 2 > b && git add b')
    inside(
      'git checkout -q -b other main && echo 3 > a && git add a && git commit -qm Three && git checkout -q feature/auth && git merge -q other',
    )
    await imported()
    const again = await reopened(root, folder)
    const status = again.inside('git status --short; git stash list; ls "$(git rev-parse --git-dir)/MERGE_HEAD"').out
    expect(status).toContain('AA a')
    expect(status).toContain('stash@{0}')
    expect(status).toMatch(/MERGE_HEAD$/)
  })

  it('starts again where both have moved the branch, and keeps what only the earlier one had', async () => {
    const { root, folder, inside, imported } = await opened()
    inside('git commit -q --allow-empty -m One')
    await imported()
    inside('git checkout -q -b side && git commit -q --allow-empty -m Aside && git checkout -q feature/auth')
    inside('git commit -q --allow-empty -m Two')
    commit(folder, { mine: 'mine' }, 'Mine')
    const again = await reopened(root, folder)
    expect(again.inside('git log --format=%s && git status --short').out).toBe('Mine\nOne\nBegin')
    const kept = git(root, 'for-each-ref', '--format=%(subject)', 'refs/aiswarm/kept/auth').split('\n')
    expect(new Set(kept)).toEqual(new Set(['Aside', 'Two']))
  })

  it('loses nothing to a garbage collection of the person', async () => {
    const { root, inside, imported } = await opened()
    inside('git commit -q --allow-empty -m One')
    await imported()
    inside('git reset -q --hard HEAD~1 && git commit -q --allow-empty -m Two')
    await imported()
    git(root, 'reflog', 'expire', '--expire=now', '--all')
    git(root, 'gc', '--quiet', '--prune=now')
    inside('git commit -q --allow-empty -m Three')
    expect(inside('git fsck --no-dangling --connectivity-only 2>&1 | grep -v notice').out).toBe('')
    expect(await imported()).toBeUndefined()
    expect(git(root, 'fsck', '--no-dangling')).toBe('')
  })
})

describe('the tips of a worktree that ends', () => {
  it('are kept in the repository: branches, tags, HEAD, stashes, and what is staged', async () => {
    const { root, own, inside, imported } = await opened()
    inside('git commit -q --allow-empty -m One')
    await imported()
    inside('echo s > s && git stash -qu && echo t > t && git stash -qu && git tag -m Tagged v9 && git branch side')
    inside(
      'git checkout -q --detach && git commit -q --allow-empty -m Detached && echo staged > staged && git add staged',
    )
    await keepTips(own)
    removeWorktreeGit(own.own)
    const kept = git(root, 'for-each-ref', '--format=%(refname) %(subject)', 'refs/aiswarm/kept/auth').split('\n')
    const names = kept.map((line) => line.replace(/^refs\/aiswarm\/kept\/auth\/[^/]+\//, ''))
    expect(names).toEqual([
      'HEADS/HEAD Detached',
      'HEADS/index What was staged',
      expect.stringMatching(/^stash\/0 On feature\/auth|^stash\/0 WIP/),
      expect.stringMatching(/^stash\/1 WIP/),
      'tags/v9 Tagged',
    ])
    expect(git(root, 'show', `${kept[1]!.split(' ')[0]!}:staged`)).toBe('staged')
    expect(git(root, 'fsck', '--no-dangling')).toBe('')
  })
})

describe('a worktree with more tips of its own than are kept', () => {
  it('keeps its git under another name', async () => {
    const { root, own, inside } = await opened()
    inside(
      `perl -e 'for (1..1005) { print "commit refs/heads/x$_\\ncommitter a <a> $_ +0000\\ndata 1\\nx\\n\\n" }' | git fast-import --quiet; git tag -l; echo s > s && git stash -qu`,
    )
    const left = await releaseGit(own)
    expect(left).toMatchObject({ why: expect.stringContaining('more than 1000') as string })
    expect(existsSync(join(left!.place, 'git', 'refs', 'stash'))).toBe(true)
    expect(git(root, 'for-each-ref', 'refs/aiswarm/kept')).toBe('')
  })
})

describe('git of aiswarm in a worktree', () => {
  it('runs inside, sees it as a person does, and writes nothing there', async () => {
    const trace = join(temporaryFolder(), 'trace')
    const program = `touch ${trace}; cat`
    const { root, folder, inside, imported } = await opened(undefined, (root) =>
      git(root, 'config', 'filter.x.clean', program),
    )
    trustPrograms(root, { 'config filter.x.clean': program })
    inside(
      'git config mine.key x; git commit -q --allow-empty -m One; echo "* filter=x" > .gitattributes; echo a sh0p > README.md',
    )
    await imported()
    expect((await changedPaths(folder)).map(({ path }) => path).sort()).toEqual(['.gitattributes', 'README.md'])
    expect(existsSync(trace)).toBe(false)
    expect((await askGit(folder, ['config', '--get', 'mine.key'], { answers: [1] })).exitCode).toBe(1)
    expect((await askGit(folder, ['log', '-1', '--format=%s'])).stdout).toBe('One\n')
    const tag = await refusal(askGit(folder, ['tag', 'mine']))
    expect(tag.message).toContain('Read-only file system')
    // The filter is real: that of a person outside leaves its trace.
    sh(folder, 'git status --short')
    expect(existsSync(trace)).toBe(true)
  })
})
