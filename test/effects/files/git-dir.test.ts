import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { gitLogPath, gitProcesses, readGitLog } from '../../../src/effects/git/command-log.ts'
import { withoutPrograms } from '../../../src/effects/git/drivers.ts'
import { git as ours } from '../../../src/effects/git/git.ts'
import { closeRadar, radarOf } from '../../../src/effects/radar/radar.ts'
import { refusal, temporaryFolder } from '../../support/core.ts'
import { commit, git, openSwarm, repository, sh, write } from '../swarm.ts'

const status = (folder: string) => ours(folder, ['status', '--porcelain'])

/** Another repository, whose configuration runs a program on every access. */
const trap = () => {
  const root = repository()
  const trace = join(temporaryFolder(), 'ran')
  git(root, 'config', 'filter.trap.clean', `touch '${trace}'; cat`)
  write(root, { '.gitattributes': '* filter=trap\n' })
  return { root, trace }
}

describe('a worktree whose .git has another target gets no git command:', () => {
  it.each<[string, (folder: string, root: string, other: string) => void]>([
    [
      "another repository's folder",
      (folder, _, other) => writeFileSync(join(folder, '.git'), `gitdir: ${other}/.git\n`),
    ],
    ['the main checkout', (folder, root) => writeFileSync(join(folder, '.git'), `gitdir: ${root}/.git\n`)],
    [
      'another worktree',
      (folder, root) => writeFileSync(join(folder, '.git'), `gitdir: ${root}/.git/worktrees/other\n`),
    ],
    ['nothing that exists', (folder) => writeFileSync(join(folder, '.git'), 'gitdir: /no/such/folder\n')],
    ['no path at all', (folder) => writeFileSync(join(folder, '.git'), 'hello\n')],
    [
      'a repository of its own',
      (folder) => {
        rmSync(join(folder, '.git'))
        git(folder, 'init', '--quiet')
      },
    ],
    [
      'a link to another repository',
      (folder, _, other) => {
        rmSync(join(folder, '.git'))
        symlinkSync(join(other, '.git'), join(folder, '.git'))
      },
    ],
    [
      'a worktree of another repository, whose record names this folder',
      (folder, _, other) => {
        git(other, 'worktree', 'add', '--quiet', '--detach', `${folder}-away`)
        const record = dirname(
          readFileSync(join(`${folder}-away`, '.git'), 'utf8')
            .replace('gitdir: ', '')
            .trim() + '/x',
        )
        writeFileSync(join(record, 'gitdir'), `${folder}/.git\n`)
        writeFileSync(join(folder, '.git'), `gitdir: ${record}\n`)
      },
    ],
    [
      'its own record, which names another repository as its own',
      (_, root, other) => writeFileSync(join(root, '.git/worktrees/auth/commondir'), `${other}/.git\n`),
    ],
  ])('%s', async (_, mislead) => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    await swarm.build('other')
    const { root: other, trace } = trap()
    expect(await status(folder)).toBe('')
    mislead(folder, swarm.root, other)
    const before = gitProcesses()
    const { code, message } = await refusal(status(folder))
    expect(code).toBe('git_misled')
    expect(message).toContain(join(folder, '.git'))
    expect([gitProcesses(), existsSync(trace)]).toEqual([before, false])
  })

  it('until a folder that was moved is repaired', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    renameSync(folder, `${folder}-moved`)
    expect((await refusal(status(`${folder}-moved`))).code).toBe('git_misled')
    git(swarm.root, 'worktree', 'repair', `${folder}-moved`)
    expect(await status(`${folder}-moved`)).toBe('')
  })
})

it('a worktree that git knows under another name gets no git command if it is a repository of its own', async () => {
  const swarm = await openSwarm()
  git(swarm.root, 'worktree', 'add', '--quiet', '-b', 'other', '../below/auth')
  const folder = await swarm.build('auth')
  expect(readFileSync(join(folder, '.git'), 'utf8')).toMatch(/worktrees\/auth1\n$/)
  rmSync(join(folder, '.git'))
  git(folder, 'init', '--quiet')
  expect((await refusal(status(folder))).code).toBe('git_misled')
})

it.each<[string, (root: string, other: string) => void]>([
  [
    'is replaced by another repository',
    (root, other) => {
      renameSync(join(root, '.git'), join(root, '../away'))
      symlinkSync(join(other, '.git'), join(root, '.git'))
    },
  ],
  [
    'says that another repository holds its configuration and objects',
    (root, other) => writeFileSync(join(root, '.git/commondir'), `${other}/.git\n`),
  ],
])('the main checkout gets no git command if its .git %s', async (_, mislead) => {
  const swarm = await openSwarm()
  const { root: other, trace } = trap()
  mislead(swarm.root, other)
  expect((await refusal(status(swarm.root))).code).toBe('git_misled')
  expect(existsSync(trace)).toBe(false)
})

it('a pipe in place of .git blocks no command', async () => {
  const swarm = await openSwarm()
  const folder = await swarm.build('auth')
  sh(folder, 'rm .git; mkfifo .git')
  expect((await refusal(status(folder))).code).toBe('git_misled')
  expect(await withoutPrograms(folder)).toEqual({})
})

it('a folder without .git is not treated as part of the repository above it', async () => {
  const root = repository()
  mkdirSync(join(root, 'inner'))
  expect((await refusal(status(join(root, 'inner')))).message).toContain('no longer has a .git')
})

it('the work tree is the folder, whatever the configuration says', async () => {
  const swarm = await openSwarm()
  const elsewhere = temporaryFolder()
  write(elsewhere, { 'README.md': 'other\n' })
  git(swarm.root, 'config', 'core.worktree', elsewhere)
  expect(await ours(swarm.root, ['rev-parse', '--show-toplevel'])).toBe(`${swarm.root}\n`)
})

it('replacements of commits are ignored', async () => {
  const root = repository()
  const [first, second] = [git(root, 'rev-parse', 'HEAD'), commit(root, { b: 'b' }, 'Second')]
  git(root, 'replace', '-f', second, first)
  expect(sh(root, `git log -1 --format=%s ${second}`)).toBe('Begin')
  expect(await ours(root, ['log', '-1', '--format=%s', second])).toBe('Second\n')
})

it('git output above the limit is refused', async () => {
  const root = repository({ big: 'x'.repeat(300_000) })
  const { message } = await refusal(ours(root, ['cat-file', 'blob', 'HEAD:big'], { limit: 1000 }))
  expect(message).toMatch(/^git cat-file printed more than /)
})

describe('the command log', () => {
  it('contains every command with its folder, its result and its message', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    await status(folder)
    await refusal(ours(folder, ['rev-parse', '--verify', 'nowhere']))
    const log = readGitLog(swarm.root)
    expect(log.at(-2)).toMatchObject({ folder, argv: ['status', '--porcelain'], exitCode: 0, said: '' })
    expect(log.at(-1)).toMatchObject({
      argv: ['rev-parse', '--verify', 'nowhere'],
      exitCode: 128,
      said: 'fatal: Needed a single revision\n',
    })
    expect(log.some(({ argv }) => argv[0] === 'worktree' && argv[1] === 'add')).toBe(true)
  })

  it('contains what the radar runs next to the repository', async () => {
    const swarm = await openSwarm()
    for (const name of ['auth', 'payments']) write(await swarm.build(name), { same: name })
    await radarOf(swarm.world)
    onTestFinished(() => closeRadar(swarm.world))
    const ran = readGitLog(swarm.root).map(({ argv }) => argv[0])
    expect(['write-tree', 'merge-tree'].filter((name) => !ran.includes(name))).toEqual([])
  })

  it('starts again when it is full, and foreign lines are left out', async () => {
    const swarm = await openSwarm()
    await status(swarm.root)
    writeFileSync(gitLogPath(swarm.root), `${'x'.repeat(1000)}\n`.repeat(5000))
    await status(swarm.root)
    expect(existsSync(`${gitLogPath(swarm.root)}.1`)).toBe(true)
    expect(readGitLog(swarm.root)).toHaveLength(1)
  })
})
