import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { contentOf, kindOf } from '../../../src/domain/words/unified-diff.ts'
import type { ReviewFile } from '../../../src/contracts/review.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { rejectIntegration } from '../../../src/operations/integration/decisions.ts'
import { person } from '../../../src/domain/agent/actor.ts'
import { commit, git, openSwarm, sh, type Swarm } from '../swarm.ts'

const present = (swarm: Swarm) => swarm.connection.outside.presentWorktree('auth')

const linesOf = ({ diff }: ReviewFile): string[] =>
  Array.from({ length: diff!.count }, (_, line) => line)
    .filter((line) => ['added', 'removed'].includes(kindOf(diff!, line)))
    .map((line) => `${kindOf(diff!, line) === 'added' ? '+' : '-'}${contentOf(diff!, line)}`)

/** Every file below a folder, with its content and the time of its last change. */
const everythingIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => `${path} ${statSync(path).mtimeMs} ${readFileSync(path, 'latin1').length}`)

const scratchFolders = (): readonly string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`aiswarm-radar-${process.pid}.`))

describe('the present diff of a worktree', () => {
  it('contains committed, changed, deleted and untracked files, and no ignored ones', async () => {
    const swarm = await openSwarm({
      files: { '.gitignore': 'built\n', 'a.txt': '1\n', 'b.txt': '1\n', 'gone.txt': '1\n', 'kept.txt': '1\n' },
    })
    const folder = await swarm.build('auth')
    commit(folder, { 'a.txt': '2\n' }, 'Change a')
    sh(
      folder,
      'echo 3 > b.txt; rm gone.txt; echo new > new.txt; echo x > built; echo 4 > staged.txt; git add staged.txt',
    )
    const read = await present(swarm)
    expect(
      read.files
        .map(({ path, change, isUncommitted }) => `${path} ${change}${isUncommitted ? ', uncommitted' : ''}`)
        .sort(),
    ).toEqual([
      'a.txt modified',
      'b.txt modified, uncommitted',
      'gone.txt deleted, uncommitted',
      'new.txt added, uncommitted',
      'staged.txt added, uncommitted',
    ])
    expect(linesOf(read.files.find(({ path }) => path === 'b.txt')!)).toEqual(['-1', '+3'])
    expect(read).toMatchObject({
      isPresent: true,
      candidate: null,
      remark: null,
      from: git(swarm.root, 'rev-parse', 'main'),
    })
    expect(read.commits.map(({ subject }) => subject)).toEqual(['Change a'])
    expect([...read.uncommitted].sort()).toEqual(['b.txt', 'gone.txt', 'new.txt', 'staged.txt'])
  })

  it('writes nothing into the repository, the worktree or its index, and leaves no folder', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    sh(folder, 'echo 2 > README.md; echo new > new.txt; echo staged > staged.txt; git add staged.txt')
    const before = [...everythingIn(join(swarm.root, '.git')), ...everythingIn(folder)]
    const read = await present(swarm)
    expect(read.files).toHaveLength(3)
    expect([...everythingIn(join(swarm.root, '.git')), ...everythingIn(folder)]).toEqual(before)
    expect(() => git(swarm.root, 'cat-file', '-e', read.to)).toThrow()
    expect(scratchFolders()).toEqual([])
  })

  it('shows the worktree after its integration was rejected, not the recorded merge', async () => {
    const swarm = await openSwarm({ files: { 'a.txt': '1\n' } })
    const folder = await swarm.build('auth')
    const branchOid = commit(folder, { 'a.txt': '2\n' })
    const targetOid = commit(swarm.root, { 'other.txt': 'x\n' })
    const tree = git(swarm.root, 'merge-tree', '--write-tree', targetOid, branchOid)
    const mergeOid = git(swarm.root, 'commit-tree', tree, '-p', targetOid, '-p', branchOid, '-m', 'Merge')
    await swarm.candidate('auth', { targetOid, branchOid, mergeOid })
    await perform(swarm.core, rejectIntegration, { worktreeName: 'auth', reason: 'no' }, person)
    commit(folder, { 'a.txt': '3\n' })
    sh(folder, 'echo 4 > a.txt')
    const read = await present(swarm)
    expect(read.files.map(({ path }) => path)).toEqual(['a.txt'])
    expect(linesOf(read.files[0]!)).toEqual(['-1', '+4'])
  })

  it('shows after a merge only what came later', async () => {
    const swarm = await openSwarm({ files: { 'a.txt': '1\n' } })
    const folder = await swarm.build('auth')
    commit(folder, { 'a.txt': '2\n' })
    git(swarm.root, 'merge', '--quiet', '--no-ff', '-m', 'Merge', 'feature/auth')
    expect((await present(swarm)).files).toEqual([])
    sh(folder, 'echo late > late.txt')
    expect((await present(swarm)).files.map(({ path }) => path)).toEqual(['late.txt'])
  })

  it('names the same commit for the same content, and reads a large file of it on demand', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    // Together more than is read at once, each less than the radar leaves out.
    for (let n = 0; n < 8; n++) writeFileSync(join(folder, `${n}.txt`), `${n}${'x'.repeat(98)}\n`.repeat(75_000 + n))
    const read = await present(swarm)
    expect((await present(swarm)).to).toBe(read.to)
    const unread = read.files.filter(({ content }) => content === 'unread')
    expect(unread.length).toBeGreaterThan(0)
    expect((await swarm.connection.outside.readReviewFile(read, unread[0]!)).added).toBe(
      75_000 + Number.parseInt(unread[0]!.path, 10),
    )
    sh(folder, 'echo more > more.txt')
    await expect(swarm.connection.outside.readReviewFile(read, unread[0]!)).rejects.toThrow(
      'auth has changed since its diff was read. Try again.',
    )
  })

  it('says which uncommitted files it leaves out', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    writeFileSync(join(folder, 'build.bin'), Buffer.alloc(9 * 1024 * 1024))
    sh(folder, 'echo small > small.txt')
    const read = await present(swarm)
    expect(read.files.map(({ path }) => path)).toEqual(['small.txt'])
    expect(read.remark).toBe('files not compared: 1 larger than 8 MB')
    expect([...read.uncommitted].sort()).toEqual(['build.bin', 'small.txt'])
  })

  it('is refused for a worktree whose branch is gone', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    sh(folder, 'git checkout -q --detach')
    git(swarm.root, 'worktree', 'remove', '--force', '--force', folder)
    git(swarm.root, 'branch', '-D', 'feature/auth')
    await expect(present(swarm)).rejects.toThrow('The branch feature/auth of auth is gone.')
  })
})
