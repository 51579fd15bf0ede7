import { describe, expect, it } from 'vitest'
import { git, openSwarm, read } from '../swarm.ts'

/** A task whose command succeeds and leaves the worktree in a state that a commit would spoil. */
const left = async (command: string) => {
  const swarm = await openSwarm({ config: 'session: {maxRetries: 0}\n' })
  const folder = await swarm.build('auth')
  const task = await swarm.carryOut(command, { targetWorktree: 'auth' })
  return { folder, task, tip: git(swarm.root, 'rev-parse', 'feature/auth'), main: git(swarm.root, 'rev-parse', 'main') }
}

describe('the work of a successful command is not committed', () => {
  it('if it leaves conflicts', async () => {
    const { folder, task } =
      await left(`echo ours > README.md; git commit -qam ours; git checkout -q -b side HEAD~1; echo theirs > README.md; git commit -qam theirs
git checkout -q feature/auth; git merge side; true`)
    expect(task).toMatchObject({
      status: 'failed',
      errorMessage:
        'The command succeeded, but its work could not be committed: it left conflicts in README.md; resolve them there.',
    })
    expect(read(folder, 'README.md')).toContain('<<<<<<<')
    expect(git(folder, 'log', '-1', '--format=%s', 'feature/auth')).toBe('ours')
  })

  it('if it switched to another branch', async () => {
    const { folder, task, tip, main } = await left('git checkout -q -b elsewhere; echo x > made.txt')
    expect(task).toMatchObject({
      status: 'failed',
      errorMessage:
        'The command succeeded, but its work could not be committed: the worktree is no longer on its branch feature/auth; check it out there again.',
    })
    expect(tip).toBe(main)
    expect(read(folder, 'made.txt')).toBe('x\n')
  })

  it('if it created a repository of its own inside', async () => {
    const { folder, task, tip, main } = await left(
      'git init -q inner; cd inner; echo q > q; git add q; git -c user.name=a -c user.email=b commit -qm q',
    )
    expect(task).toMatchObject({
      status: 'failed',
      errorMessage:
        'The command succeeded, but its work could not be committed: inner/ is a git repository of its own; move it away or remove its .git.',
    })
    expect(tip).toBe(main)
    expect(read(folder, 'inner/q')).toBe('q\n')
  })
})
