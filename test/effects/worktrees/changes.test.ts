import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { contentsOf } from '../../../src/effects/worktrees/changes.ts'
import type { WorktreeView } from '../../../src/operations/views/worktrees.ts'
import { refusal } from '../../support/core.ts'
import { commit, git, repository } from '../swarm.ts'

const worktree = (branchName: string): WorktreeView =>
  ({ name: 'pay', branchName, integration: null }) as unknown as WorktreeView

it('a worktree shows its commits, newest first, and the lines of each file compared with the fork point', async () => {
  const root = repository({ 'a.txt': '1\n2\n', 'b.bin': 'x' })
  git(root, 'switch', '--quiet', '-c', 'feature/pay')
  commit(root, { 'a.txt': '1\n2\n3\n' }, 'Add a line')
  commit(root, { 'b.bin': 'x\0y', 'näme with\ttab.txt': 'n\n' }, 'Add\ta name')
  git(root, 'switch', '--quiet', 'main')
  commit(root, { 'c.txt': 'on the target alone\n' })
  const { commits, files, more, moreFiles, target } = await contentsOf(root, worktree('feature/pay'), 'main')
  expect(commits.map(({ subject, author }) => [subject, author])).toEqual([
    ['Add\ta name', 'Ada'],
    ['Add a line', 'Ada'],
  ])
  expect(files).toEqual([
    { path: 'a.txt', added: 1, removed: 0 },
    { path: 'b.bin', added: null, removed: null },
    { path: 'näme with\ttab.txt', added: 1, removed: 0 },
  ])
  expect([more, moreFiles, target]).toEqual([false, false, 'main'])
})

it('a very long subject or name is cut by git itself', async () => {
  const root = repository()
  git(root, 'switch', '--quiet', '-c', 'feature/pay')
  const message = join(mkdtempSync(join(tmpdir(), 'aiswarm-')), 'message')
  for (const flood of ['日'.repeat(700_000), `e${'\u0301'.repeat(700_000)}`, 'x'.repeat(2_000_000)]) {
    writeFileSync(message, flood)
    git(root, '-c', `user.name=${'n'.repeat(3000)}`, 'commit', '--quiet', '--allow-empty', '--file', message)
  }
  const { commits } = await contentsOf(root, worktree('feature/pay'), 'main')
  expect(commits.map(({ subject }) => [...subject.slice(0, 2)].join(''))).toEqual(['xx', 'e\u0301', '日日'])
  for (const { subject, author } of commits) {
    expect([subject.length > 500, subject.length <= 2000, author.length <= 300]).toEqual([true, true, true])
  }
})

it('a worktree with a missing branch names that branch', async () => {
  const root = repository()
  expect((await refusal(contentsOf(root, worktree('feature/gone'), 'main'))).message).toBe(
    'The branch feature/gone of pay is gone.',
  )
  expect((await refusal(contentsOf(root, worktree('main'), 'nowhere'))).message).toBe(
    'There is no branch nowhere to compare pay with.',
  )
})
