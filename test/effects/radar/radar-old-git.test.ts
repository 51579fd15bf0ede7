import { chmodSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { gitBinary } from '../../../src/effects/git/git.ts'
import { openRadar } from '../../../src/effects/radar/radar.ts'
import { temporaryFolder } from '../../support/core.ts'
import { commit, git, repository, sh } from '../swarm.ts'

it('the radar gives the same result with git 2.38, which merges one pair per process', async () => {
  const real = sh('/', 'command -v git')
  const folder = temporaryFolder()
  const shim = `#!/bin/sh\nfor one; do if [ "$one" = --stdin ] && [ "$merging" ]; then echo "error: unknown option \\\`stdin'" >&2; exit 129; fi; [ "$one" = merge-tree ] && merging=1; done\nexec '${real}' "$@"\n`
  writeFileSync(join(folder, 'git'), shim)
  chmodSync(join(folder, 'git'), 0o755)
  vi.stubEnv('PATH', [folder, process.env['PATH']].join(delimiter))
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(gitBinary()).toBe(join(folder, 'git'))

  const root = repository({ 'a.txt': 'begin\n' })
  const subjects = ['one', 'two', 'three', 'orphan'].map((name) => {
    const path = join(root, '..', name)
    git(root, 'worktree', 'add', '--quiet', '-b', name, path)
    if (name === 'orphan')
      sh(path, 'git checkout -q --orphan lonely; git commit -qm anew; git branch -f orphan; git checkout -q orphan')
    else commit(path, name === 'three' ? { 'b.txt': 'three\n' } : { 'a.txt': `${name}\n` })
    return { name, branch: name, path, target: 'main', pushed: null, living: false, unfinished: 0, needs: [] }
  })
  const scanner = openRadar(root, 'main')
  onTestFinished(() => scanner.close())
  expect((await scanner.scan(subjects)).radar.pairs.map(({ a, b, files, problem }) => [a, b, files, problem])).toEqual([
    ['orphan', 'main', [], 'they have no commit in common'],
    ['one', 'two', ['a.txt'], null],
    ['one', 'orphan', [], 'they have no commit in common'],
    ['orphan', 'two', [], 'they have no commit in common'],
    ['orphan', 'three', [], 'they have no commit in common'],
  ])
})
