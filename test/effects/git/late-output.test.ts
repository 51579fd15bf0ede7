import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { askGit, git } from '../../../src/effects/git/git.ts'
import { repository, sh } from '../swarm.ts'

/**
 * A git that exits at once, and whose pipe holds more for a second or two: what a busy machine does to a reader. What it
 * leaves running keeps a pipe open until the file is gone that it is given.
 */
const late = (real: string): string => `#!/bin/sh
leave() { while [ -e "$1" ]; do sleep 0.1; done; }
word=
for next in "$@"; do
  [ -z "$word" ] || file=$next
  case $next in late-*|left-*|endless|silent) word=$next ;; esac
done
case $word in
  late-answer) (sleep 2; echo 'the end') & echo 'the beginning'; exit 0 ;;
  late-no) (sleep 2; echo 'the end') & echo 'the beginning'; exit 3 ;;
  late-error) (sleep 1; echo 'fatal: the reason' >&2) & exit 3 ;;
  left-output) (leave "$file") 2>/dev/null & echo 'the beginning'; exit 0 ;;
  left-no) (leave "$file") 2>/dev/null & echo 'the beginning'; exit 3 ;;
  left-error) (leave "$file") >/dev/null & echo 'the answer'; exit 0 ;;
  endless) trap '' INT; while :; do echo y; done ;;
  silent) trap '' INT; leave "$file" ;;
esac
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

/** A file whose end ends what was left running. */
const alive = (): string => {
  const file = join(mkdtempSync(join(folder, 'alive-')), 'alive')
  writeFileSync(file, '')
  onTestFinished(() => rmSync(file))
  return file
}

const refusal = async (answer: Promise<unknown>): Promise<string> => {
  const error: unknown = await answer.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toMatchObject({ code: 'git_failed' })
  return (error as Error).message
}

describe('the answer of a git that has exited before all of it was read', () => {
  it('is whole', async () => {
    const root = repository()
    expect(await git(root, ['late-answer'])).toBe('the beginning\nthe end\n')
    expect(await git(root, ['late-answer'], { bytes: true })).toBe('the beginning\nthe end\n')
  })

  it('is whole where its exit code is an answer', async () => {
    expect(await askGit(repository(), ['late-no'], { answers: [3] })).toEqual({
      exitCode: 3,
      stdout: 'the beginning\nthe end\n',
      stderr: '',
    })
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

describe('a git that has left a program running', () => {
  it('is a refusal if that program keeps the output open and prints nothing', async () => {
    const root = repository()
    for (const word of ['left-output', 'left-no'])
      expect(await refusal(askGit(root, [word, alive()], { answers: [3], timeout: 500 }))).toBe(
        `git ${word} has ended, but a program that it started keeps its output open and has printed nothing for 0.5 s.`,
      )
  })

  it('has answered if only its errors are still open', async () => {
    expect(await git(repository(), ['left-error', alive()])).toBe('the answer\n')
  })
})

describe('a git that does not end when it is asked to', () => {
  it('is a refusal that says why it was stopped', async () => {
    const root = repository()
    expect(await refusal(git(root, ['endless'], { limit: 5 * 1024 ** 2 }))).toBe(
      'git endless printed more than the limit of 5 MB.',
    )
    expect(await refusal(git(root, ['silent', alive()], { timeout: 500 }))).toBe(
      'git silent printed nothing for 0.5 s and was stopped.',
    )
    const stop = new AbortController()
    const answer = refusal(git(root, ['silent', alive()], { signal: stop.signal }))
    stop.abort()
    expect(await answer).toBe('git silent was stopped.')
  })
})
