import { join } from 'node:path'
import { expect, it } from 'vitest'
import { defaultSettings } from '../../../src/domain/settings/settings.ts'
import { dropHead, pushHead } from '../../../src/effects/remote/pushed-branches.ts'
import { temporaryFolder } from '../../support/core.ts'
import { git, repository, sh } from '../swarm.ts'

const clone = (pushBranches: 'none' | 'heads' = 'heads') => {
  const root = repository()
  const url = join(temporaryFolder(), 'shop.git')
  sh(root, `git clone --quiet --bare . "${url}"`)
  const commit = (branch: string, file: string): string => {
    sh(
      root,
      `git checkout --quiet ${branch} 2>/dev/null || git checkout --quiet -b ${branch} main; echo x > ${file}; git add .; git commit -qm ${file}; git checkout --quiet main`,
    )
    return git(root, 'rev-parse', branch)
  }
  const reports: string[] = []
  const settings = { ...defaultSettings, fleet: { ...defaultSettings.fleet, pushBranches } }
  const world = { core: { root, settings }, report: (sentence: string) => void reports.push(sentence) }
  const remote = { root, url }
  const there = (branch: string): string => git(url, 'for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`)
  return { root, url, commit, reports, world, remote, there }
}

const lamp = { name: 'lamp', branch: 'feature/lamp', pushedOid: null }

it('a branch is pushed under its own name if that is configured, also after a rebase of its agent, and goes when it is merged', async () => {
  const { root, commit, world, remote, there, reports } = clone()
  const first = commit('feature/lamp', 'one')
  await pushHead(world, remote, lamp, first)
  expect(there('feature/lamp')).toBe(first)
  const second = commit('feature/lamp', 'two')
  await pushHead(world, remote, { ...lamp, pushedOid: first }, second)
  expect(there('feature/lamp')).toBe(second)
  sh(root, 'git branch --quiet -f feature/lamp main')
  const third = commit('feature/lamp', 'three')
  await pushHead(world, remote, { ...lamp, pushedOid: second }, third)
  expect(there('feature/lamp')).toBe(third)
  await dropHead(world, remote, { ...lamp, pushedOid: third })
  expect(there('feature/lamp')).toBe('')
  expect(reports).toEqual([])
})

it('commits of others on a branch of that name stay', async () => {
  const { root, commit, world, remote, there, reports, url } = clone()
  const theirs = commit('theirs', 'other')
  sh(root, `git push --quiet "${url}" theirs:refs/heads/feature/lamp`)
  const own = commit('feature/lamp', 'one')
  await pushHead(world, remote, lamp, own)
  expect(there('feature/lamp')).toBe(theirs)
  expect(reports).toEqual([
    'Branch feature/lamp of worktree lamp is not pushed to the git remote under its own name: it has commits of others there.',
  ])
  await dropHead(world, remote, { ...lamp, pushedOid: own })
  expect(there('feature/lamp')).toBe(theirs)
})

it('nothing is pushed under its own name without that setting, and never the target', async () => {
  const without = clone('none')
  await pushHead(without.world, without.remote, lamp, without.commit('feature/lamp', 'one'))
  expect(without.there('feature/lamp')).toBe('')
  const { commit, world, remote, there } = clone()
  const before = there('main')
  await pushHead(world, remote, { ...lamp, branch: 'main' }, commit('main', 'one'))
  expect(there('main')).toBe(before)
})
