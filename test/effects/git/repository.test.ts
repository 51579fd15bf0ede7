import { chmodSync, mkdirSync, realpathSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Refusal } from '../../../src/domain/rules/refusal.ts'
import { gitBinary } from '../../../src/effects/git/git.ts'
import { currentBranch, findRepository } from '../../../src/effects/git/repository.ts'
import { refusal, temporaryFolder } from '../../support/core.ts'
import { git, repository, sh, write } from '../swarm.ts'

describe('the repository is found', () => {
  it('from its main checkout', async () => {
    const root = repository()
    expect(await findRepository(root)).toEqual({ root, name: 'shop' })
  })

  it('from a subfolder', async () => {
    const root = repository({ 'src/deep/a.txt': 'x' })
    expect((await findRepository(join(root, 'src', 'deep'))).root).toBe(root)
  })

  it('from a linked worktree, and from a subfolder of it, as the main checkout', async () => {
    const root = repository({ 'src/a.txt': 'x' })
    git(root, 'worktree', 'add', '--quiet', '-b', 'auth', '../auth')
    expect((await findRepository(join(root, '../auth'))).root).toBe(root)
    expect((await findRepository(join(root, '../auth/src'))).root).toBe(root)
  })

  it('through a symbolic link, as the real folder', async () => {
    const root = repository()
    sh(join(root, '..'), 'ln -s shop link')
    expect((await findRepository(join(root, '../link'))).root).toBe(root)
  })

  it('with spaces and other letters in its name', async () => {
    const root = join(realpathSync(temporaryFolder()), 'mein Läden')
    mkdirSync(root)
    sh(root, 'git init -q; git -c user.name=A -c user.email=a@b commit -q --allow-empty -m Begin')
    expect(await findRepository(root)).toEqual({ root, name: 'mein Läden' })
  })

  it('in a submodule, as the submodule', async () => {
    const library = repository()
    const root = repository()
    sh(root, `git -c protocol.file.allow=always submodule --quiet add '${library}' lib`)
    expect((await findRepository(join(root, 'lib'))).root).toBe(join(root, 'lib'))
  })

  it('in a linked worktree of a submodule, as the submodule', async () => {
    const library = repository()
    const root = repository()
    sh(
      root,
      `git -c protocol.file.allow=always submodule --quiet add '${library}' lib; git -C lib worktree add --quiet -b auth ../../auth`,
    )
    expect((await findRepository(join(root, '../auth'))).root).toBe(join(root, 'lib'))
  })

  it('if its git folder is elsewhere', async () => {
    const root = repository()
    const folder = join(root, '../apart')
    sh(
      root,
      'git init -q --separate-git-dir ../apart.git ../apart; git -C ../apart -c user.name=A -c user.email=a@b commit -q --allow-empty -m Begin',
    )
    expect((await findRepository(folder)).root).toBe(folder)
  })
})

describe('a folder that aiswarm cannot work on is refused with advice:', () => {
  it('a missing folder', async () => {
    const { code, message } = await refusal(findRepository('/no/such/folder'))
    expect([code, message]).toEqual(['not_a_repository', 'There is no folder /no/such/folder.'])
  })

  it('a folder outside any repository', async () => {
    const folder = realpathSync(temporaryFolder())
    const { code, message } = await refusal(findRepository(folder))
    expect([code, message]).toEqual([
      'not_a_repository',
      `${folder} is not in a git repository; run 'git init' there or give another folder with --root.`,
    ])
  })

  it('a bare repository', async () => {
    const folder = realpathSync(temporaryFolder())
    git(folder, 'init', '--quiet', '--bare')
    expect((await refusal(findRepository(folder))).code).toBe('bare_repository')
  })

  it('a repository without commits', async () => {
    const folder = realpathSync(temporaryFolder())
    git(folder, 'init', '--quiet')
    const { code, message } = await refusal(findRepository(folder))
    expect(code).toBe('no_commits')
    expect(message).toContain('git commit --allow-empty')
  })

  it.each([
    ['2.37.9', 'git_too_old'],
    ['1.9.0', 'git_too_old'],
    ['2.38.0', 'not_a_repository'],
    ['3.0', 'not_a_repository'],
  ])('git %s, with the code %s', async (version, code) => {
    const { message, code: given } = await refusedBy(await withGit(version))
    expect(given).toBe(code)
    if (code === 'git_too_old')
      expect(message).toBe(`aiswarm needs git 2.38 or newer, but this is ${version}; update git.`)
  })

  it('a repository of another owner, in the words of git', async () => {
    const root = repository()
    const bin = temporaryFolder()
    // Git's own switch for its own tests: every folder belongs to another user.
    write(bin, { git: `#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec '${gitBinary()}' "$@"\n` })
    chmodSync(join(bin, 'git'), 0o755)
    vi.stubEnv('PATH', [bin, process.env['PATH']].join(delimiter))
    const find = await fresh()
    const error = await find(root).catch((caught: unknown) => caught as Refusal)
    expect(error).toMatchObject({ code: 'not_a_repository' })
    expect((error as Refusal).message).toMatch(
      /dubious ownership in repository at '.*' .*git config --global --add safe\.directory/,
    )
  })

  it('a machine without git', async () => {
    vi.stubEnv('PATH', temporaryFolder())
    expect((await refusedBy(await fresh())).message).toBe('git was not found on PATH; install git 2.38 or newer.')
  })
})

it('the current branch is returned, or the commit if none is checked out', async () => {
  const root = repository()
  expect(await currentBranch(root)).toBe('main')
  git(root, 'checkout', '--quiet', '-b', 'feature/login')
  expect(await currentBranch(root)).toBe('feature/login')
  git(root, 'checkout', '--quiet', '--detach')
  expect(await currentBranch(root)).toBe(`detached at ${git(root, 'rev-parse', '--short', 'HEAD')}`)
})

it('commits of a worktree do not count for a main checkout whose branch has none', async () => {
  const root = repository()
  git(root, 'worktree', 'add', '--quiet', '../elsewhere')
  git(root, 'switch', '--quiet', '--orphan', 'empty')
  expect((await refusal(findRepository(join(root, '../elsewhere')))).code).toBe('no_commits')
  expect((await refusal(findRepository(root))).code).toBe('no_commits')
})

/** `findRepository` of a program that has not searched for git yet; the place of git is cached. */
const fresh = async (): Promise<typeof findRepository> => {
  vi.resetModules()
  onTestFinished(() => void vi.unstubAllEnvs())
  return (await import('../../../src/effects/git/repository.ts')).findRepository
}

/** Its refusals are of a class of its own as well. */
const refusedBy = async (find: typeof findRepository): Promise<Refusal> =>
  find(temporaryFolder()).then(
    () => Promise.reject(new Error('found one')),
    (error: unknown) => error as Refusal,
  )

const withGit = async (version: string): Promise<typeof findRepository> => {
  const bin = temporaryFolder()
  write(bin, {
    git: `#!/bin/sh\nfor word in "$@"; do [ "$word" = version ] && { echo "git version ${version}"; exit 0; }; done\necho 'fatal: not a git repository' >&2; exit 128\n`,
  })
  chmodSync(join(bin, 'git'), 0o755)
  vi.stubEnv('PATH', [bin, process.env['PATH']].join(delimiter))
  return fresh()
}
