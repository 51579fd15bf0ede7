import { rmSync } from 'node:fs'
import { expect, it } from 'vitest'
import { getWorktreeStatus } from '../../src/operations/get-worktree-status.ts'
import { perform } from '../../src/operations/kernel/perform.ts'
import { worktreeObserver } from '../../src/effects/observer.ts'
import { refused } from '../support/core.ts'
import { commit, git, openSwarm, sh, write } from './swarm.ts'

it('a worktree is seen ahead, behind, dirty, with its lines', async () => {
  const swarm = await openSwarm({ files: { a: '1\n2\n3\n' } })
  const folder = await swarm.build('auth')
  const seen = () => swarm.connection.outside.observeWorktrees()
  expect(await seen()).toEqual([{ name: 'auth', ahead: 0, behind: 0, dirty: 0, added: 0, removed: 0 }])
  commit(folder, { a: '1\n3\n', b: 'x\ny\n' })
  commit(folder, { c: 'x\n' })
  commit(swarm.root, { d: 'x\n' })
  write(folder, { e: 'x', 'f/g': 'x' })
  expect(await seen()).toEqual([{ name: 'auth', ahead: 2, behind: 1, dirty: 2, added: 3, removed: 1 }])
  git(folder, 'reset', '--quiet', '--hard', 'HEAD~2')
  expect(await seen()).toEqual([{ name: 'auth', ahead: 0, behind: 1, dirty: 2, added: 0, removed: 0 }])
})

it.each(['.gitignore', '.gitattributes'])('a pipe in the place of %s is named and not taken for a worktree without changes, and the others are looked at', async (name) => {
  const swarm = await openSwarm({ files: { 'a/b': 'x' } })
  const folder = await swarm.build('auth')
  write(await swarm.build('cart'), { c: 'x' })
  write(folder, { 'a/b': 'y' })
  sh(folder, `mkfifo a/${name}`)
  const problem = `${folder}/a/${name} is a pipe, a socket or a device, at which git would wait for ever; remove it.`
  const seen = () => swarm.connection.outside.observeWorktrees()
  // Once it is known git is not even asked.
  for (let time = 0; time < 2; time++)
    expect(await seen()).toMatchObject([
      { name: 'auth', dirty: null, problem },
      { name: 'cart', dirty: 1 },
    ])
  sh(folder, `rm a/${name}`)
  expect(await seen()).toMatchObject([{ name: 'auth', dirty: 1 }, { name: 'cart' }])
})

it('only the worktrees that were asked for are looked at, and none that is gone', async () => {
  const swarm = await openSwarm()
  await swarm.build('auth')
  const other = await swarm.build('cart')
  expect((await swarm.connection.outside.observeWorktrees(['cart'])).map(({ name }) => name)).toEqual(['cart'])
  rmSync(other, { recursive: true })
  expect((await swarm.connection.outside.observeWorktrees()).map(({ name }) => name)).toEqual(['auth'])
})

it('a branch that was deleted does not stop the looking', async () => {
  const swarm = await openSwarm()
  await swarm.build('auth')
  git(swarm.root, 'update-ref', '-d', 'refs/heads/feature/auth')
  const observe = worktreeObserver(swarm.root, 'main')
  expect(await observe(await perform(swarm.core, getWorktreeStatus, {}, swarm.world.actor))).toMatchObject([{ name: 'auth', ahead: 0, behind: 0 }])
})

it('the output of an agent is read by its id, of nobody else', async () => {
  const swarm = await openSwarm()
  await swarm.carryOut('echo hello')
  expect(await swarm.connection.outside.readOutput('implementer-1', { offset: 0 })).toMatchObject({ text: 'hello\n', next: 6, size: 6 })
  expect(await refused(swarm.connection.outside.readOutput('../../../etc/passwd', { offset: 0 }))).toBe('not_found')
})
