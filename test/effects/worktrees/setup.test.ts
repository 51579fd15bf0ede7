import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { act } from '../../../src/operations/perform/perform.ts'
import { discardWorktree } from '../../../src/operations/worktrees/discard.ts'
import { commit, git, openSwarm, read, type Swarm, write } from '../swarm.ts'

const discard = (swarm: Swarm) => act(swarm.connection, discardWorktree, { worktreeName: 'auth', reason: 'not needed' })

it('the teardown runs in the worktree before its folder is moved, with its port, and is logged', async () => {
  const swarm = await openSwarm({
    config:
      'worktrees: {teardown: "pwd; echo $AISWARM_WORKTREE $AISWARM_PORT; cat work; git rev-parse --abbrev-ref HEAD; echo left > left"}\n',
  })
  const folder = await swarm.build('auth')
  const { port } = await swarm.worktree('auth')
  write(folder, { work: 'mine\n' })
  const { archiveRef } = await discard(swarm)
  expect(read(swarm.root, '.aiswarm/logs/teardown-auth.log')).toBe(`${folder}\nauth ${port}\nmine\nfeature/auth\n`)
  expect(git(swarm.root, 'show', `${archiveRef}:left`)).toBe('left')
  expect(swarm.warnings).toEqual([])
})

it('a teardown that fails is reported and does not stop the removal', async () => {
  const swarm = await openSwarm({ config: 'worktrees: {teardown: "echo no docker >&2; exit 3"}\n' })
  const folder = await swarm.build('auth')
  write(folder, { work: 'mine\n' })
  const { archiveRef, ...gone } = await discard(swarm)
  expect(gone).toMatchObject({ folder: 'gone', port: null })
  expect(existsSync(folder)).toBe(false)
  expect(swarm.warnings).toEqual([
    `Worktree auth: worktrees.teardown ('echo no docker >&2; exit 3') ended with exit code 3: no docker; see ${swarm.path('.aiswarm/logs/teardown-auth.log')}. Its folder is removed anyway.`,
  ])
  expect(git(swarm.root, 'show', `${archiveRef}:work`)).toBe('mine')
})

it('a teardown that takes too long is ended with all its processes', async () => {
  const swarm = await openSwarm({
    config: 'worktrees: {teardown: "echo waiting; sleep 1000 | sleep 1000", teardownTimeout: 300ms}\n',
  })
  await swarm.build('auth')
  expect(await discard(swarm)).toMatchObject({ folder: 'gone' })
  expect(swarm.warnings[0]).toContain('took longer than 0.3 s: waiting; see ')
})

it('the teardown does not run if the folder is not a worktree any more', async () => {
  const swarm = await openSwarm({ config: 'worktrees: {teardown: "echo ran > ../ran"}\n' })
  const folder = await swarm.build('auth')
  commit(folder, { a: 'a' })
  git(swarm.root, 'worktree', 'remove', '--force', '--force', folder)
  await discard(swarm)
  expect(existsSync(join(swarm.root, '../ran'))).toBe(false)
})
