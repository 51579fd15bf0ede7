import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askGit, git } from '../../../src/effects/git/git.ts'
import { repository, sh } from '../swarm.ts'

/** A git that exits at once, and whose pipe holds more for a second: what a busy machine does to a reader. */
const late = (real: string): string => `#!/bin/sh
for word in "$@"; do
  case $word in
    late-answer) (sleep 1; echo 'the end') & echo 'the beginning'; exit 0 ;;
    late-error) (sleep 1; echo 'fatal: the reason' >&2) & exit 3 ;;
  esac
done
exec ${real} "$@"
`

// The path of git is looked for once in a process.
const folder = mkdtempSync(join(tmpdir(), 'aiswarm-late-git-'))
afterAll(() => rmSync(folder, { recursive: true }))

beforeAll(() => {
  const real = sh('/', 'command -v git')
  writeFileSync(join(folder, 'git'), late(real))
  chmodSync(join(folder, 'git'), 0o755)
  process.env['PATH'] = `${folder}${delimiter}${process.env['PATH']}`
})

describe('the answer of a git that has exited before all of it was read', () => {
  it('is whole', async () => {
    const root = repository()
    expect(await git(root, ['late-answer'])).toBe('the beginning\nthe end\n')
    expect(await git(root, ['late-answer'], { bytes: true })).toBe('the beginning\nthe end\n')
  })

  it('has the words of its refusal', async () => {
    const root = repository()
    expect(await askGit(root, ['late-error'], { answers: [3] })).toEqual({
      exitCode: 3,
      stdout: '',
      stderr: 'fatal: the reason\n',
    })
  })
})
