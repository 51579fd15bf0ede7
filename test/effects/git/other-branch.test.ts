import { describe, expect, it } from 'vitest'
import { initialise } from '../../../src/effects/starting/initialise.ts'
import { findTarget } from '../../../src/effects/git/repository.ts'
import { worktreeObserver } from '../../../src/effects/worktrees/observer.ts'
import { approveIntegration } from '../../../src/operations/integration/decisions.ts'
import { act } from '../../../src/operations/perform/perform.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { integrationLine } from '../../../src/cli/print/worktrees.ts'
import { refusal } from '../../support/core.ts'
import { commit, git, openSwarm, read, repository, sh } from '../swarm.ts'

const renamed = (script: string): string => {
  const root = repository()
  sh(root, script)
  return root
}

describe('the target of a configuration without one', () => {
  it.each([
    ['main', 'true', 'main'],
    ['master', 'git branch -m master', 'master'],
    ['develop, if a feature is checked out', 'git branch -m develop; git checkout -qb feature', 'develop'],
    ['the branch that is checked out, if no name is common', 'git branch -m stable', 'stable'],
    ['a branch with a blank name of YAML', 'git branch -m on', 'on'],
    [
      'the branch of origin/HEAD',
      'git branch release; git update-ref refs/remotes/origin/release main; git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/release',
      'release',
    ],
    [
      'main, if the branch of origin/HEAD does not exist locally',
      'git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/release',
      'main',
    ],
    ['a packed branch', 'git branch -m master; git pack-refs --all', 'master'],
    ['main, if no branch is checked out', 'git checkout -q --detach', 'main'],
  ])('is %s', async (_, script, target) => {
    const root = renamed(script)
    expect(await findTarget(root)).toBe(target)
    await initialise(root)
    expect((await openSwarm({ root })).core.settings.integration.target).toBe(target)
  })
})

it('a repository on master takes a worktree from its creation to its merge', async () => {
  const swarm = await openSwarm({ root: renamed('git branch -m master') })
  const folder = await swarm.build('auth')
  commit(folder, { 'auth.txt': 'auth\n' })
  const asked = await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })
  expect(integrationLine(asked)).toContain('auth is ready to merge into master')
  expect(await worktreeObserver(swarm.root, 'master')([asked])).toMatchObject([{ ahead: 1, behind: 0 }])
  const { targetOid, branchOid, mergeOid } = asked.integration!
  await act(swarm.connection, approveIntegration, {
    worktreeName: 'auth',
    targetOid: targetOid!,
    branchOid: branchOid!,
    mergeOid: mergeOid!,
  })
  expect([read(swarm.root, 'auth.txt'), git(swarm.root, 'symbolic-ref', '--short', 'HEAD')]).toEqual([
    'auth\n',
    'master',
  ])
})

it('a missing target is reported as the cause, with the setting that names it', async () => {
  const swarm = await openSwarm({ root: renamed('git branch -m master'), config: 'integration: {target: main}\n' })
  expect((await refusal(swarm.build('auth'))).message).toMatch(/no branch main .*integration\.target/)
  sh(swarm.root, 'git branch main')
  commit(await swarm.build('auth'), { 'auth.txt': 'auth\n' })
  sh(swarm.root, 'git branch -D main')
  expect(integrationLine(await act(swarm.connection, requestIntegration, { worktreeName: 'auth' }))).toMatch(
    /^auth cannot be merged into main: There is no branch main .*integration\.target/,
  )
})
