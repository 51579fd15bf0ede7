import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { moveTarget } from '../../../src/effects/integration/mover.ts'
import { commit, git, gitEnvironment, read, repository, sh, until, write } from '../swarm.ts'

/** A repository on main, and a commit after it. */
const ahead = (
  files: Record<string, string> = { a: 'new\n', added: 'x\n' },
  before: Record<string, string> = { a: 'old\n', b: 'b\n' },
) => {
  const root = repository(before)
  const from = git(root, 'rev-parse', 'main')
  git(root, 'checkout', '--quiet', '-b', 'work')
  const to = commit(root, files)
  git(root, 'checkout', '--quiet', 'main')
  const move = (change: { from?: string } = {}) =>
    moveTarget(root, {
      id: 1,
      target: 'main',
      from,
      to,
      message: 'aiswarm: integrate',
      landed: false,
      resumed: false,
      ...change,
    })
  return { root, from, to, move }
}

describe('a checkout with an operation in progress is not moved:', () => {
  it.each([
    [
      'a merge',
      'git checkout -q -b other; echo o > b; git commit -qam O; git checkout -q main; git merge --no-ff --no-commit other',
      'has a merge in progress',
    ],
    [
      'a cherry-pick',
      'git checkout -q -b other; echo o > b; git commit -qam O; git checkout -q main; git cherry-pick --no-commit other; git rev-parse other > .git/CHERRY_PICK_HEAD',
      'has a cherry-pick in progress',
    ],
    [
      'a rebase',
      "echo t > b; git commit -qam T; GIT_SEQUENCE_EDITOR='sed -i s/pick/edit/' git rebase -q -i HEAD~1 >/dev/null 2>&1; test -d .git/rebase-merge",
      'A checkout is rebasing main',
    ],
  ])('%s', async (_, script, problem) => {
    const { root, move } = ahead()
    sh(root, script)
    const [main, status] = [git(root, 'rev-parse', 'main'), git(root, 'status', '--porcelain')]
    expect(await move({ from: main })).toMatchObject({
      kind: 'held',
      problem: expect.stringContaining(problem) as string,
    })
    expect([git(root, 'rev-parse', 'main'), git(root, 'status', '--porcelain')]).toEqual([main, status])
  })
})

describe('a person who switches to the target during the move', () => {
  it('finds the merge in the files and in the index, together with earlier edits', async () => {
    const { root, to, move } = ahead(
      { a: 'new\n', added: 'x\n' },
      { a: 'old\n', b: 'b\n', '.gitattributes': 'slow filter=slow\n', slow: 's\n' },
    )
    sh(root, 'git checkout -q -b topic; git rm -q slow; git commit -q -m Topic; echo mine >> b')
    // The switch has read main, holds the index and waits in the filter of a file; HEAD still names topic.
    const filter = `touch ../in; while ! test -e ../go; do sleep 0.01; done; cat`
    const person = spawn('git', ['-c', `filter.slow.smudge=${filter}`, 'switch', '--quiet', 'main'], {
      cwd: root,
      env: gitEnvironment,
      stdio: 'ignore',
    })
    const switched = once(person, 'exit')
    await until('the filter', () => existsSync(join(root, '../in')))
    const moved = move()
    await until('the merge', () => git(root, 'rev-parse', 'main') === to)
    write(root, { '../go': '' })
    expect([await moved, await switched]).toEqual([{ kind: 'moved' }, [0, null]])
    expect([git(root, 'symbolic-ref', '--short', 'HEAD'), git(root, 'rev-parse', 'main')]).toEqual(['main', to])
    expect([git(root, 'status', '--porcelain'), read(root, 'a'), read(root, 'added'), read(root, 'b')]).toEqual([
      ' M b',
      'new\n',
      'x\n',
      'b\nmine\n',
    ])
  })
})

describe("a move does not change the person's files:", () => {
  it('a file that the person deleted and the move does not concern', async () => {
    const { root, to, move } = ahead()
    sh(root, 'rm b')
    expect(await move()).toEqual({ kind: 'moved' })
    expect([git(root, 'rev-parse', 'main'), git(root, 'status', '--porcelain'), read(root, 'a')]).toEqual([
      to,
      ' D b',
      'new\n',
    ])
  })

  it('an ignored file in the way of a new one', async () => {
    const { root, from, move } = ahead()
    write(root, { '.git/info/exclude': 'added\n', added: 'mine\n' })
    expect(await move()).toMatchObject({
      kind: 'held',
      problem: expect.stringContaining('added would be overwritten') as string,
    })
    expect([git(root, 'rev-parse', 'main'), read(root, 'added'), read(root, 'a')]).toEqual([from, 'mine\n', 'old\n'])
  })

  it('an untracked folder in the way of a file, and a file in the way of a folder', async () => {
    const { root, from, move } = ahead({ one: 'x\n', 'two/three': 'y\n' })
    write(root, { 'one/mine': 'm\n', two: 'm\n' })
    const { kind, problem } = (await move()) as { kind: string; problem: string }
    expect(kind).toBe('held')
    expect(problem).toMatch(/one\/.*two|two.*one\//)
    expect([git(root, 'rev-parse', 'main'), read(root, 'one/mine'), read(root, 'two')]).toEqual([from, 'm\n', 'm\n'])
  })

  it('everything in the way is named, up to five paths', async () => {
    const names = ['a', 'c', 'd', 'e', 'f', 'g', 'h']
    const { root, move } = ahead(Object.fromEntries(names.map((name) => [name, 'new\n'])), { b: 'b\n' })
    for (const name of names) writeFileSync(join(root, name), 'mine\n')
    expect(await move()).toMatchObject({
      problem: expect.stringContaining('a, c, d, e, f and 2 more would be overwritten') as string,
    })
  })

  it('paths outside a sparse checkout', async () => {
    const { root, to, move } = ahead({ 'in/a': 'new\n', 'out/b': 'new\n' }, { 'in/a': 'old\n', 'out/b': 'old\n' })
    sh(root, 'git sparse-checkout set in')
    expect(await move()).toEqual({ kind: 'moved' })
    expect([
      git(root, 'rev-parse', 'main'),
      read(root, 'in/a'),
      existsSync(join(root, 'out')),
      git(root, 'status', '--porcelain'),
    ]).toEqual([to, 'new\n', false, ''])
  })

  it('line ends and filters of the attributes', async () => {
    const { root, move } = ahead(
      { 'text.txt': 'one\ntwo\n' },
      { '.gitattributes': '*.txt text eol=crlf\n', 'text.txt': 'one\n' },
    )
    expect(await move()).toEqual({ kind: 'moved' })
    expect([read(root, 'text.txt'), git(root, 'status', '--porcelain')]).toEqual(['one\r\ntwo\r\n', ''])
  })
})

it('a branch that is not checked out is moved alone, and only from its known commit', async () => {
  const { root, from, to, move } = ahead()
  git(root, 'checkout', '--quiet', '--detach')
  expect(await move()).toEqual({ kind: 'moved' })
  expect(git(root, 'rev-parse', 'main')).toBe(to)
  expect(git(root, 'log', '-g', '-1', '--format=%gs', 'main')).toBe('aiswarm: integrate')
  expect(await move({ from })).toMatchObject({ kind: 'stale' })
})

it('a branch whose ref moved meanwhile is not moved, and the files are restored', async () => {
  const { root, move } = ahead()
  const later = git(root, 'commit-tree', 'main^{tree}', '-p', 'main', '-m', 'Later')
  git(root, 'update-ref', 'refs/heads/main', later)
  expect(await move()).toMatchObject({ kind: 'stale' })
  expect([git(root, 'rev-parse', 'main'), git(root, 'status', '--porcelain'), read(root, 'a')]).toEqual([
    later,
    '',
    'old\n',
  ])
  expect(existsSync(join(root, '.git/index.lock'))).toBe(false)
})

it('a branch that is checked out twice is not moved, because only one checkout could follow', async () => {
  const { root, from, move } = ahead()
  git(root, 'worktree', 'add', '--quiet', '--force', '../second', 'main')
  expect(await move()).toEqual({
    kind: 'held',
    problem: `main is checked out in ${root} and in ${join(root, '../second')}, but a merge can update only one of them; switch the other to another branch, then approve again.`,
  })
  expect([
    git(root, 'rev-parse', 'main'),
    git(root, 'status', '--porcelain'),
    git(join(root, '../second'), 'status', '--porcelain'),
  ]).toEqual([from, '', ''])
})

it.each(['assume-unchanged', 'skip-worktree'])(
  'an edit that git ignores by a flag (%s) is kept, and the remedy is reported',
  async (bit) => {
    const { root, from, move } = ahead()
    git(root, 'update-index', `--${bit}`, 'a')
    write(root, { a: 'mine\n' })
    expect(await move()).toMatchObject({
      kind: 'held',
      problem: expect.stringMatching(/^a has changes that git is configured to skip, .*--no-skip-worktree/) as string,
    })
    expect([git(root, 'rev-parse', 'main'), read(root, 'a')]).toEqual([from, 'mine\n'])
  },
)

it('a checkout whose folder is gone does not block its branch', async () => {
  const { root, to, move } = ahead()
  git(root, 'checkout', '--quiet', '--detach')
  git(root, 'worktree', 'add', '--quiet', '../other', 'main')
  sh(root, 'rm -r ../other')
  expect(await move()).toEqual({ kind: 'moved' })
  expect(git(root, 'rev-parse', 'main')).toBe(to)
})
