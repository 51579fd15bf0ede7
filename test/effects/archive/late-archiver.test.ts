import { describe, expect, it, vi } from 'vitest'
import type * as Git from '../../../src/effects/git/git.ts'
import { archiveWorktree, publish } from '../../../src/effects/archive/archiver.ts'
import { archiveRefs, readArchive } from '../../../src/effects/archive/record.ts'
import { refusal } from '../../support/core.ts'
import { leaving } from '../archived.ts'
import { git, openSwarm, sh } from '../swarm.ts'

/** Awaited before a git command whose arguments it knows. */
const gate = vi.hoisted(() => ({ before: async (_args: string): Promise<void> => {} }))
vi.mock('../../../src/effects/git/git.ts', async (original) => {
  const real = await original<typeof Git>()
  const git: typeof real.git = async (folder, args, options) => {
    await gate.before(args.join(' '))
    return real.git(folder, args, options)
  }
  return { ...real, git }
})

/** Resolves at the given call of a command and holds it until `release`. */
const held = (command: string) => {
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  let first = true
  const before = async (args: string): Promise<void> => {
    if (args !== command || !first) return
    first = false
    reached.resolve()
    await released.promise
  }
  return { before, reached: reached.promise, release: released.resolve }
}

describe('a process that continues to archive a folder while another process archives it', () => {
  it('does not mix its files with those of the other archive', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    sh(folder, 'echo 1 > one; git init -q --template= inner; echo i > inner/i')
    const worktree = await leaving(swarm)
    const ended = { ...worktree, status: 'discarded' as const, endedAt: worktree.endedAt!, target: 'main' }
    const [late, other] = [held('read-tree --empty'), held('write-tree')]

    gate.before = late.before
    const lateArchive = archiveWorktree(swarm.root, ended).catch((error: unknown) => error)
    await late.reached
    gate.before = other.before
    const otherArchive = archiveWorktree(swarm.root, ended)
    await other.reached
    // The late process empties its index now, which the other process is about to read.
    late.release()
    await lateArchive
    other.release()
    const ref = (await otherArchive)!.ref

    const { commit } = await readArchive(swarm.root, ref)
    expect(git(swarm.root, 'ls-tree', '-r', '--name-only', commit).split('\n')).toEqual(['README.md', 'inner/i', 'one'])
    expect(await archiveRefs(swarm.root, 'auth')).toEqual([ref])
  })

  it('does not replace the archive that the other process has published', async () => {
    const swarm = await openSwarm()
    const [first, second] = ['a', 'b'].map((message) => git(swarm.root, 'commit-tree', '-m', message, 'HEAD^{tree}'))
    const publication = { worktree: 'auth', stamp: '2026-11-23T06-00-00-000Z' }
    const ref = await publish(swarm.root, { ...publication, commit: first! })
    expect(await publish(swarm.root, { ...publication, commit: first! })).toBe(ref)
    expect((await refusal(publish(swarm.root, { ...publication, commit: second! }))).code).toBe('archive_failed')
    expect(git(swarm.root, 'rev-parse', ref)).toBe(first)
    expect(await publish(swarm.root, { ...publication, commit: second!, earlier: { ref, commit: first! } })).toBe(ref)
    expect(git(swarm.root, 'rev-parse', ref)).toBe(second)
  })
})
