import { chmodSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { gitProcesses } from '../../../src/effects/git/command-log.ts'
import { worktreeObserver } from '../../../src/effects/worktrees/observer.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { getWorktreeStatus } from '../../../src/operations/worktrees/status.ts'
import { refused } from '../../support/core.ts'
import { commit, git, openSwarm, sh, write } from '../swarm.ts'

it('a worktree is shown with its commits ahead and behind, its dirty files and its lines', async () => {
  const swarm = await openSwarm({ files: { a: '1\n2\n3\n' } })
  const folder = await swarm.build('auth')
  const seen = () => swarm.connection.outside.observeWorktrees()
  expect(await seen()).toEqual([{ name: 'auth', ahead: 0, behind: 0, dirty: 0, added: 0, removed: 0 }])
  commit(folder, { a: '1\n3\n', b: 'x\ny\n' })
  commit(folder, { c: 'x\n' })
  commit(swarm.root, { d: 'x\n' })
  write(folder, { e: 'x', 'f/g': 'x' })
  const edited: unknown = expect.any(Number)
  expect(await seen()).toEqual([{ name: 'auth', ahead: 2, behind: 1, dirty: 2, edited, added: 3, removed: 1 }])
  git(folder, 'reset', '--quiet', '--hard', 'HEAD~2')
  expect(await seen()).toEqual([{ name: 'auth', ahead: 0, behind: 1, dirty: 2, edited, added: 0, removed: 0 }])
  utimesSync(join(folder, 'f/g'), 4_000_000_000, 4_000_000_000)
  expect(await seen()).toMatchObject([{ edited: 4_000_000_000_000 }])
})

it.each(['.gitignore', '.gitattributes'])(
  'a pipe in the place of %s is reported and not shown as a worktree without changes, and the other worktrees are observed',
  async (name) => {
    const swarm = await openSwarm({ files: { 'a/b': 'x' } })
    const folder = await swarm.build('auth')
    write(await swarm.build('cart'), { c: 'x' })
    write(folder, { 'a/b': 'y' })
    sh(folder, `mkfifo a/${name}`)
    const problem = `${folder}/a/${name} is a pipe, a socket or a device, for which git would wait forever; remove it.`
    const seen = () => swarm.connection.outside.observeWorktrees()
    // Once it is known, git is not called at all.
    for (let time = 0; time < 2; time++)
      expect(await seen()).toMatchObject([
        { name: 'auth', dirty: null, problem },
        { name: 'cart', dirty: 1 },
      ])
    sh(folder, `rm a/${name}`)
    expect(await seen()).toMatchObject([{ name: 'auth', dirty: 1 }, { name: 'cart' }])
  },
)

it('only the requested worktrees are observed, and no missing one', async () => {
  const swarm = await openSwarm()
  await swarm.build('auth')
  const other = await swarm.build('cart')
  expect((await swarm.connection.outside.observeWorktrees(['cart'])).map(({ name }) => name)).toEqual(['cart'])
  rmSync(other, { recursive: true })
  expect((await swarm.connection.outside.observeWorktrees()).map(({ name }) => name)).toEqual(['auth'])
})

it('a missing or moved worktree is reported, and no process is started for it', async () => {
  const swarm = await openSwarm()
  const absent = () => swarm.connection.outside.absentWorktrees()
  const [auth, cart] = [await swarm.build('auth'), await swarm.build('cart')]
  expect(await absent()).toEqual([])
  git(swarm.root, 'worktree', 'move', '-f', '-f', auth, `${auth}-away`)
  rmSync(cart, { recursive: true })
  const before = gitProcesses()
  expect(await absent()).toEqual([
    {
      name: 'auth',
      why: `its folder was moved to ${auth}-away; 'git worktree move -f -f ${auth}-away ${auth}' moves it back`,
    },
    { name: 'cart', why: 'its folder is gone' },
  ])
  expect(gitProcesses()).toBe(before)
  expect((await swarm.connection.outside.absentWorktrees(['cart'])).map(({ name }) => name)).toEqual(['cart'])
  git(swarm.root, 'worktree', 'move', '-f', '-f', `${auth}-away`, auth)
  expect((await absent()).map(({ name }) => name)).toEqual(['cart'])
})

it('a deleted branch does not stop the observer', async () => {
  const swarm = await openSwarm()
  await swarm.build('auth')
  git(swarm.root, 'update-ref', '-d', 'refs/heads/feature/auth')
  const observe = worktreeObserver(swarm.root, 'main')
  expect(await observe(await perform(swarm.core, getWorktreeStatus, {}, swarm.world.actor))).toMatchObject([
    { name: 'auth', ahead: 0, behind: 0 },
  ])
})

it('one process reads the positions of all branches, and one per folder reads its changes; a missing folder needs none', async () => {
  const swarm = await openSwarm()
  const processes = async (): Promise<number> => {
    const before = gitProcesses()
    await swarm.connection.outside.observeWorktrees()
    return gitProcesses() - before
  }
  expect(await processes()).toBe(0)
  const folders = [await swarm.build('auth'), await swarm.build('cart'), await swarm.build('pay')]
  await processes()
  expect(await processes()).toBe(4)
  // Two commits that were never compared: once, by two processes.
  commit(folders[0]!, { a: 'x' })
  expect([await processes(), await processes()]).toEqual([6, 4])
  for (const folder of folders) rmSync(folder, { recursive: true })
  expect(await processes()).toBe(0)
})

it.each<[string, (object: string) => void]>([
  ['gone', (object) => rmSync(object)],
  ['damaged', (object) => (chmodSync(object, 0o644), writeFileSync(object, 'no object'))],
])('a commit that is %s does not hide the other worktrees', async (_, spoil) => {
  const swarm = await openSwarm()
  for (const name of ['auth', 'cart', 'pay']) commit(await swarm.build(name), { [name]: 'x\n' })
  const oid = git(swarm.root, 'rev-parse', 'feature/cart')
  spoil(join(swarm.root, '.git/objects', oid.slice(0, 2), oid.slice(2)))
  const whole = { ahead: 1, behind: 0, dirty: 0, added: 1, removed: 0 }
  expect(await swarm.connection.outside.observeWorktrees()).toMatchObject([
    { name: 'auth', ...whole },
    { name: 'cart', ahead: 0, behind: 0, dirty: null, problem: expect.stringContaining('git status failed') as string },
    { name: 'pay', ...whole },
  ])
})

it('each worktree is compared with its own target', async () => {
  const swarm = await openSwarm()
  const folder = await swarm.build('auth')
  await swarm.build('cart')
  git(swarm.root, 'branch', 'release')
  commit(swarm.root, { d: 'x' })
  commit(folder, { a: 'x\n' })
  await perform(swarm.core, requestIntegration, { worktreeName: 'auth', targetBranch: 'release' }, swarm.world.actor)
  expect(await swarm.connection.outside.observeWorktrees()).toMatchObject([
    { name: 'auth', ahead: 1, behind: 0, added: 1 },
    { name: 'cart', ahead: 0, behind: 1, added: 0 },
  ])
})

it('the output of an agent is read only by its id', async () => {
  const swarm = await openSwarm()
  await swarm.carryOut('echo hello')
  expect(await swarm.connection.outside.readOutput('implementer-1', { offset: 0 })).toMatchObject({
    text: 'hello\n',
    next: 6,
    size: 6,
  })
  expect(await refused(swarm.connection.outside.readOutput('../../../etc/passwd', { offset: 0 }))).toBe('not_found')
})
