import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { git as ours } from '../../../src/effects/git/git.ts'
import { changedPaths } from '../../../src/effects/git/working-tree.ts'
import { mergeOf } from '../../../src/effects/integration/candidate.ts'
import { refusal, temporaryFolder } from '../../support/core.ts'
import { discard } from '../archived.ts'
import { commit, git, openSwarm, repository, sh, write } from '../swarm.ts'

const lines = (change: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 12 }, (_, n) => `${change[n] ?? `line ${n}`}\n`).join('')

/** A worktree whose branch and whose target changed the same file in different places: only the contents show that it merges. */
const apart = async () => {
  const swarm = await openSwarm({ files: { 'a.txt': lines() } })
  const folder = await swarm.build('auth')
  commit(folder, { 'a.txt': lines({ 2: 'AUTH' }) })
  commit(swarm.root, { 'a.txt': lines({ 10: 'MAIN' }) })
  const trace = join(temporaryFolder(), 'ran')
  return { swarm, root: swarm.root, folder, trace }
}

describe('a program that no person has trusted does not run:', () => {
  it.each(['evil', 'e=vil', 'e.v il', ''])("a filter named '%s'", async (name) => {
    const { root, folder, trace } = await apart()
    git(root, 'config', `filter.${name}.clean`, `touch '${trace}'; cat`)
    write(root, { '.git/info/attributes': `* filter=${name}\n` })
    write(folder, { 'a.txt': lines({ 3: 'more' }) })
    expect(await changedPaths(folder)).toEqual([{ code: ' M', path: 'a.txt' }])
    expect(existsSync(trace)).toBe(false)
  })

  it('a filter in an included file that appears there later', async () => {
    const { root, folder, trace } = await apart()
    const later = join(temporaryFolder(), 'later')
    git(root, 'config', 'include.path', later)
    write(root, { '.git/info/attributes': '* filter=late\n' })
    write(folder, { 'a.txt': lines({ 3: 'more' }) })
    expect(await changedPaths(folder)).toHaveLength(1)
    sh(root, `git config --file '${later}' filter.late.clean "touch '${trace}'; cat"`)
    expect(await changedPaths(folder)).toEqual([{ code: ' M', path: 'a.txt' }])
    expect(existsSync(trace)).toBe(false)
  })

  it.each(['evil', 'e=vil'])(
    "a merge driver named '%s', when a census checks whether the work is merged",
    async (name) => {
      const { swarm, root, trace } = await apart()
      git(root, 'config', `merge.${name}.driver`, `touch '${trace}'`)
      write(root, { '.git/info/attributes': `* merge=${name}\n` })
      expect((await swarm.connection.outside.census('auth')).landed.how).toBeNull()
      expect((await discard(swarm)).status).toBe('discarded')
      expect(existsSync(trace)).toBe(false)
    },
  )

  it('a merge driver that was added after the last check: it causes a conflict, and picks no side', async () => {
    const { root, trace } = await apart()
    const [targetOid, branchOid] = [git(root, 'rev-parse', 'main'), git(root, 'rev-parse', 'feature/auth')]
    git(root, 'config', 'merge.evil.driver', `touch '${trace}'`)
    write(root, { '.git/info/attributes': '* merge=evil\n' })
    expect(await mergeOf(root, { targetOid, branchOid, name: 'auth', branch: 'feature/auth' })).toEqual({
      conflicts: ['a.txt'],
    })
    expect(existsSync(trace)).toBe(false)
  })

  it('a program that would fetch', async () => {
    const { root, trace } = await apart()
    const far = repository()
    git(root, 'config', 'remote.far.url', far)
    git(root, 'config', 'remote.far.uploadpack', `touch '${trace}'; git-upload-pack`)
    git(root, 'config', 'protocol.allow', 'always')
    expect((await refusal(ours(root, ['fetch', 'far']))).message).toContain("transport 'file' not allowed")
    expect(existsSync(trace)).toBe(false)
  })
})

it('a filter that existed from the beginning still works', async () => {
  const root = repository({ '.gitattributes': '*.up filter=up\n' })
  git(root, 'config', 'filter.up.clean', 'tr a-z A-Z')
  const swarm = await openSwarm({ root })
  const folder = await swarm.build('auth')
  write(folder, { 'x.up': 'loud\n' })
  git(folder, 'add', 'x.up')
  expect(await changedPaths(folder)).toEqual([{ code: 'A ', path: 'x.up' }])
  expect(git(folder, 'show', ':x.up')).toBe('LOUD')
})
