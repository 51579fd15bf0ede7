import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { askGit, git as ours } from '../../../src/effects/git/git.ts'
import { changedPaths, commitAll } from '../../../src/effects/git/working-tree.ts'
import { checkouts } from '../../../src/effects/git/repository.ts'
import { commitOf, commitsBetween, contains } from '../../../src/effects/git/commits.ts'
import { refusal, temporaryFolder } from '../../support/core.ts'
import { commit, git, openSwarm, read, repository, sh, write } from '../swarm.ts'

const environment = (name: string, value: string): void => {
  vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
}

describe('the answer of git', () => {
  it('is its output, to the byte', async () => {
    const root = repository({ 'a b\nc.txt': '  spaces  \n\n' })
    expect(await ours(root, ['cat-file', 'blob', 'HEAD:a b\nc.txt'])).toBe('  spaces  \n\n')
  })

  it('may be an exit code that was requested', async () => {
    const root = repository()
    expect(await askGit(root, ['config', '--get', 'no.such'], { answers: [1] })).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: '',
    })
    expect(await askGit(root, ['config', '--get', 'user.name'], { answers: [1] })).toEqual({
      exitCode: 0,
      stdout: 'Ada\n',
      stderr: '',
    })
  })

  it("is a refusal in git's own words otherwise", async () => {
    const { code, message } = await refusal(ours(repository(), ['rev-parse', '--verify', 'nowhere']))
    expect(code).toBe('git_failed')
    expect(message).toBe('git rev-parse failed: fatal: Needed a single revision')
  })

  it('is a refusal if the folder is missing', async () => {
    expect((await refusal(ours('/no/such/folder', ['status']))).message).toBe('The folder /no/such/folder is gone.')
  })

  it('can depend on standard input', async () => {
    const root = repository()
    expect((await ours(root, ['hash-object', '--stdin'], { input: 'naïve\n' })).trim()).toBe(
      sh(root, "printf 'naïve\\n' | git hash-object --stdin"),
    )
  })
})

describe('a git command ignores the surroundings:', () => {
  it('another repository in the environment', async () => {
    const other = repository({ 'other.txt': 'x' })
    const root = repository()
    environment('GIT_DIR', join(other, '.git'))
    environment('GIT_WORK_TREE', other)
    environment('GIT_INDEX_FILE', join(other, 'index'))
    expect((await ours(root, ['rev-parse', '--show-toplevel'])).trim()).toBe(root)
    write(root, { 'mine.txt': 'x' })
    expect(await commitAll(root, 'Mine')).toBe(git(root, 'rev-parse', 'HEAD'))
    expect(git(other, 'log', '--oneline').split('\n')).toHaveLength(1)
  })

  it('the repository above a folder without one, even if a file HEAD makes the folder look like a bare repository', async () => {
    const root = repository()
    write(root, { 'inner/HEAD': 'no repository\n' })
    const { code, message } = await refusal(ours(join(root, 'inner'), ['rev-parse', '--show-toplevel']))
    expect(`${code} ${message}`).toContain('git_failed git rev-parse failed: fatal: not a git repository')
  })

  it('configuration that the environment injects', async () => {
    environment('GIT_CONFIG_COUNT', '1')
    environment('GIT_CONFIG_KEY_0', 'core.bare')
    environment('GIT_CONFIG_VALUE_0', 'true')
    expect((await ours(repository(), ['rev-parse', '--is-bare-repository'])).trim()).toBe('false')
  })

  it('hooks, file system monitor, external diff, textconv, pager, editor and signing of the repository', async () => {
    const swarm = await openSwarm()
    const { root } = swarm
    const helper = join(root, '..', 'helper')
    const trace = join(root, '..', 'helper-ran')
    write(join(root, '..'), { helper: `#!/bin/sh\necho "$0 $*" >> '${trace}'\nexit 1\n` })
    chmodSync(helper, 0o755)
    const path = await swarm.build('auth')
    const hooks = join(root, '.git', 'hooks')
    mkdirSync(hooks, { recursive: true })
    for (const hook of [
      'pre-commit',
      'commit-msg',
      'post-commit',
      'prepare-commit-msg',
      'post-checkout',
      'post-merge',
      'reference-transaction',
      'post-index-change',
      'pre-merge-commit',
    ]) {
      sh(root, `cp '${helper}' .git/hooks/${hook}`)
    }
    const set = {
      'core.fsmonitor': helper,
      'diff.external': helper,
      'diff.x.textconv': helper,
      'core.pager': helper,
      'core.editor': helper,
      'commit.gpgSign': 'true',
      'gpg.program': helper,
      'log.showSignature': 'true',
      'color.ui': 'always',
    }
    for (const [key, value] of Object.entries(set)) sh(root, `git config ${key} '${value}'`)
    sh(root, 'mkdir -p .git/info; echo "*.md diff=x" > .git/info/attributes')
    write(path, { 'README.md': 'a bigger shop\n' })

    expect(await changedPaths(path)).toEqual([{ code: ' M', path: 'README.md' }])
    const made = await commitAll(path, 'Enlarge the shop')
    expect(await commitOf(root, 'feature/auth')).toBe(made)
    const review = await swarm.connection.outside.reviewWorktree('auth')
    expect(review.commits.map(({ subject }) => subject)).toEqual(['Enlarge the shop'])
    expect(review.files[0]!.diff!.text).toContain('-a shop\n+a bigger shop\n')
    expect(existsSync(trace) ? read(trace) : 'nothing ran').toBe('nothing ran')
  })

  it('the repository above a folder that has lost its own', async () => {
    const root = repository()
    const inner = join(root, 'inner')
    mkdirSync(inner)
    expect((await refusal(ours(inner, ['rev-parse', 'HEAD']))).message).toContain('no longer has a .git')
  })
})

describe('a name that looks like an option', () => {
  it('can be a branch', async () => {
    const root = repository()
    const tip = git(root, 'rev-parse', 'HEAD')
    git(root, 'update-ref', 'refs/heads/-n', tip)
    expect(await commitOf(root, 'refs/heads/-n')).toBe(tip)
    expect(await commitOf(root, '--all')).toBeUndefined()
  })

  it('can be a path', async () => {
    const root = repository()
    write(root, { '-rf': 'x', '--output=y': 'x', ':(exclude)z': 'x' })
    expect((await changedPaths(root)).map(({ path }) => path)).toEqual(['--output=y', '-rf', ':(exclude)z'])
    await commitAll(root, 'Add them')
    expect(git(root, 'ls-files').split('\n')).toEqual(['--output=y', '-rf', ':(exclude)z', 'README.md'])
  })
})

describe('the result of git', () => {
  it('has no commit for a revision that names nothing', async () => {
    expect(await commitOf(repository(), 'refs/heads/nowhere')).toBeUndefined()
  })

  it('lists the commits between two, oldest first', async () => {
    const root = repository()
    const begin = git(root, 'rev-parse', 'HEAD')
    const one = commit(root, { a: '1' })
    const two = commit(root, { a: '2' })
    expect(await commitsBetween(root, begin, two)).toEqual([one, two])
    expect(await contains(root, two, begin)).toBe(true)
    expect(await contains(root, begin, two)).toBe(false)
  })

  it('lists checkouts with branch and lock, whatever their path contains', async () => {
    const root = repository()
    const folder = temporaryFolder()
    git(root, 'worktree', 'add', '--quiet', '--lock', '--reason', 'ours', '-b', 'a', join(folder, 'a b\nc'))
    git(root, 'worktree', 'add', '--quiet', '--detach', join(folder, 'd'))
    expect(await checkouts(root)).toEqual([
      { path: root, branch: 'refs/heads/main', lock: null },
      { path: join(folder, 'a b\nc'), branch: 'refs/heads/a', lock: 'ours' },
      { path: join(folder, 'd'), branch: null, lock: null },
    ])
  })

  it('lists changed paths: renamed, deleted, untracked, with unusual names', async () => {
    const root = repository({ old: 'same content, same content\n', gone: 'x' })
    sh(root, 'mv old "new\tname"; rm gone')
    expect(await changedPaths(root)).toEqual([
      { code: ' D', path: 'gone' },
      { code: ' D', path: 'old' },
      { code: '??', path: 'new\tname' },
    ])
  })

  it('has no commit if there is nothing to commit', async () => {
    const root = repository()
    expect(await commitAll(root, 'Nothing')).toBeNull()
  })

  it('is a commit by aiswarm if no committer is configured', async () => {
    const root = repository()
    git(root, 'config', '--unset', 'user.name')
    git(root, 'config', '--unset', 'user.email')
    environment('HOME', temporaryFolder())
    environment('XDG_CONFIG_HOME', temporaryFolder())
    write(root, { a: 'x' })
    await commitAll(root, 'Add a')
    expect(git(root, 'log', '-1', '--format=%an <%ae>')).toBe('aiswarm <aiswarm@localhost>')
  })
})
