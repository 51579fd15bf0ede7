import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkouts } from '../../../src/effects/git/repository.ts'
import { livenessOf } from '../../../src/effects/processes/identity.ts'
import { removeWorktree } from '../../../src/effects/archive/remover.ts'
import { refusal } from '../../support/core.ts'
import { discard, leaving, tars, trash } from '../archived.ts'
import { commit, git, openSwarm, read, sh, write } from '../swarm.ts'
import { connectionOf } from '../../support/store.ts'

/**
 * Everything that a person can have in a worktree: committed, staged, changed, deleted, untracked, executable and
 * binary files, and unusual names.
 */
const fill = (folder: string): void => {
  commit(folder, { committed: 'c\n', gone: 'g\n', changed: 'old\n' })
  write(folder, {
    changed: 'new\n',
    staged: 'first\n',
    'un tracked/ä\n': 'u\n',
    'run.sh': '#!/bin/sh\n',
    '.env': 'KEY=1\n',
  })
  sh(
    folder,
    "git add staged; echo second > staged; rm gone; chmod +x run.sh; printf '\\000\\377\\r\\n' > binary; echo .env > .gitignore; git add .gitignore; git commit -qm Ignore; ln -s nowhere link",
  )
}

describe('when a worktree is discarded,', () => {
  it('its archive is complete for git: no object is missing', async () => {
    const swarm = await openSwarm()
    await swarm.build('auth')
    await discard(swarm)
    expect(git(swarm.root, 'fsck', '--full')).not.toContain('missing')
  })

  it('a pipe in place of .gitignore, which would block git, is reported at once, and the folder stays', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    sh(folder, 'echo u > u; mkfifo .gitignore')
    expect((await refusal(discard(swarm))).message).toContain('.gitignore is a pipe')
    expect(read(folder, 'u')).toBe('u\n')
  })

  it('everything that git sees is kept in the archive ref, byte for byte', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    fill(folder)
    const tip = git(folder, 'rev-parse', 'HEAD')
    const { archiveRef, status } = await discard(swarm)
    expect(status).toBe('discarded')
    expect(git(swarm.root, 'rev-parse', `${archiveRef}^`)).toBe(tip)
    const again = join(swarm.root, '../again')
    git(swarm.root, 'worktree', 'add', '--quiet', '--detach', again, archiveRef!)
    expect(git(swarm.root, 'ls-tree', '-r', '-z', '--name-only', archiveRef!).split('\0').filter(Boolean)).toEqual([
      '.gitignore',
      'README.md',
      'binary',
      'changed',
      'committed',
      'link',
      'run.sh',
      'staged',
      'un tracked/ä\n',
    ])
    expect([read(again, 'changed'), read(again, 'staged'), read(again, 'un tracked/ä\n')]).toEqual([
      'new\n',
      'second\n',
      'u\n',
    ])
    expect(sh(again, 'od -An -c binary; test -x run.sh; readlink link')).toMatch(/\\0 377 +\\r +\\n\nnowhere$/)
    expect(existsSync(join(again, 'gone'))).toBe(false)
  })

  it('its folder is in the trash unchanged, with the ignored files', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    fill(folder)
    await discard(swarm)
    expect(existsSync(folder)).toBe(false)
    expect(trash(swarm)).toEqual([expect.stringMatching(/\/auth-\d{4}-[^/]*$/)])
    expect(read(trash(swarm)[0]!, '.env')).toBe('KEY=1\n')
  })

  it('git no longer knows the worktree, but the branch stays', async () => {
    const swarm = await openSwarm()
    await swarm.build('auth')
    await discard(swarm)
    expect(await checkouts(swarm.root)).toHaveLength(1)
    expect(git(swarm.root, 'branch', '--list', 'feature/auth', '--format=%(refname:short)')).toBe('feature/auth')
    expect(await swarm.worktree('auth')).toMatchObject({
      folder: 'gone',
      status: 'discarded',
      discardReason: 'not needed',
    })
  })

  it('its agents are stopped first', async () => {
    const swarm = await openSwarm()
    await swarm.build('auth')
    const { id } = await swarm.task({ command: 'sleep 60', targetWorktree: 'auth' })
    const run = await swarm.begin()
    const wish = await leaving(swarm)
    expect(await removeWorktree(swarm.world, wish)).toBe(false)
    expect(existsSync(wish.path)).toBe(true)
    await swarm.connection.outside.carryOut({ kind: 'remove_worktree', worktree: 'auth' })
    expect(livenessOf(run.identity!)).toBe('dead')
    expect(existsSync(wish.path)).toBe(false)
    expect(await swarm.agent(run.agentId)).toMatchObject({ status: 'terminated' })
    expect((await swarm.show(id)).status).toBe('cancelled')
  })

  it('and is clean, its archive has its tree on top of its branch', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    const tip = commit(folder, { a: 'x' })
    const { archiveRef } = await discard(swarm)
    expect(git(swarm.root, 'rev-parse', `${archiveRef}^`)).toBe(tip)
    expect(git(swarm.root, 'diff', '--stat', tip, archiveRef!)).toBe('')
    expect(tars(swarm)).toEqual([])
  })

  it('and its folder was deleted by hand, its branch is kept', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    const tip = commit(folder, { a: 'x' })
    rmSync(folder, { recursive: true })
    const { archiveRef } = await discard(swarm)
    expect(git(swarm.root, 'rev-parse', `${archiveRef}^`)).toBe(tip)
    expect(await checkouts(swarm.root)).toHaveLength(1)
    expect(trash(swarm)).toEqual([])
  })

  it('and its folder and branch were deleted by hand, the commits in its reflog are kept', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    const tip = commit(folder, { a: 'x' })
    rmSync(folder, { recursive: true })
    git(swarm.root, 'update-ref', '-d', 'refs/heads/feature/auth')
    const { archiveRef } = await discard(swarm)
    expect(git(swarm.root, 'merge-base', '--is-ancestor', tip, archiveRef!)).toBe('')
  })

  it('and nothing of it is left, its row is closed', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    rmSync(folder, { recursive: true })
    rmSync(swarm.path('.git/worktrees'), { recursive: true })
    git(swarm.root, 'update-ref', '-d', 'refs/heads/feature/auth')
    expect(await discard(swarm)).toMatchObject({ folder: 'gone', archiveRef: null })
  })

  it('and it contains another repository without a commit, all of that is kept', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    sh(folder, 'echo kept > kept; git init -q inner; echo x > inner/x')
    const { archiveRef } = await discard(swarm)
    expect(git(swarm.root, 'show', `${archiveRef}:kept`)).toBe('kept')
    expect(git(swarm.root, 'show', `${archiveRef}:inner/x`)).toBe('x')
    expect(sh(swarm.root, `tar tf ${tars(swarm)[0]!}`).split('\n')).toContain('files/inner/.git/HEAD')
  })
})

describe('a removal that was interrupted', () => {
  it('after the move of the folder is recorded with the place of everything', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    write(folder, { uncommitted: 'u\n' })
    const wish = await leaving(swarm)
    await removeWorktree(swarm.world, wish)
    const before = await swarm.worktree('auth')
    // The process seems to have died before it recorded the removal.
    connectionOf(swarm.core.store).exec(
      "UPDATE worktrees SET folder = 'leaving', archive_ref = NULL, trash_path = NULL; DELETE FROM archives",
    )
    await removeWorktree(await swarm.open(), wish)
    expect(await swarm.worktree('auth')).toEqual(before)
    expect(git(swarm.root, 'show', `${before.archiveRef}:uncommitted`)).toBe('u')
    expect(connectionOf(swarm.core.store).prepare('SELECT trash_path FROM worktrees').pluck().get()).toBe(
      trash(swarm)[0],
    )
  })
})
