import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { adoptFromRefs } from '../../../src/effects/archive/adopt.ts'
import { checkouts } from '../../../src/effects/git/repository.ts'
import { refusal } from '../../support/core.ts'
import { discard, forgetUnreferenced, restore, snapshot, standing, tars, trash } from '../archived.ts'
import { commit, git, openSwarm, read, sh, type Swarm, write } from '../swarm.ts'
import { connectionOf } from '../../support/store.ts'

/** Discards the worktree, deletes everything except the archive, and restores it; the former state must be there again. */
const thereAndBack = async (swarm: Swarm, folder: string): Promise<void> => {
  const before = { files: snapshot(folder), git: standing(folder) }
  await discard(swarm)
  expect(existsSync(folder)).toBe(false)
  trash(swarm).forEach((path) => rmSync(path, { recursive: true }))
  git(swarm.root, 'update-ref', '-d', 'refs/heads/feature/auth')
  forgetUnreferenced(swarm.root)
  expect(await restore(swarm)).toMatchObject({ status: 'active', folder: 'ready', path: folder })
  expect(snapshot(folder)).toEqual(before.files)
  expect(standing(folder)).toBe(before.git)
}

describe('a worktree that is restored from its archive', () => {
  it('has every byte, every permission, and the same staged and unstaged changes', async () => {
    const swarm = await openSwarm({
      files: { '.gitignore': '.env\n*.key\n', a: 'a\n', b: 'b\n', c: 'c\n', 'run.sh': '#!/bin/sh\n' },
    })
    const folder = await swarm.build('auth')
    commit(folder, { d: 'd\n' })
    write(folder, { a: 'staged\n', 'un tracked/ä\n': 'u', '.env': 'SECRET=1\n', 'deep/er/x.key': 'k' })
    sh(
      folder,
      `git add a; printf 'then\\r\\nchanged\\0\\377' > a; git rm -q b; git mv c renamed; chmod +x run.sh; chmod 600 .env; mkdir -p empty/one; ln -s /etc/passwd out; ln -s nowhere dangling; git add -N 'un tracked'`,
    )
    writeFileSync(
      Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0xfe, 0x22, 0x5c, 0x0a])]),
      'a name that is no text',
    )
    symlinkSync(Buffer.from([0x80, 0x2f]), Buffer.concat([Buffer.from(`${folder}/link`), Buffer.from([0xe9])]))
    await thereAndBack(swarm, folder)
    expect(readFileSync(join(folder, 'a'), 'latin1')).toBe('then\r\nchanged\0\xff')
  })

  it('has its secrets from a tar that only its owner can read, and the object database has none of them', async () => {
    const swarm = await openSwarm({ files: { '.gitignore': '.env\n' } })
    const folder = await swarm.build('auth')
    write(folder, { '.env': 'SECRET=1\n' })
    const blob = git(folder, 'hash-object', '.env')
    await discard(swarm)
    expect(sh(swarm.root, `stat -c %a ${tars(swarm)[0]!}`)).toBe('600')
    expect(() => git(swarm.root, 'cat-file', '-e', blob)).toThrow()
    await restore(swarm)
    expect(read(folder, '.env')).toBe('SECRET=1\n')
  })

  it('is as sparse as before, with the extra files that were there', async () => {
    const swarm = await openSwarm({ files: { 'src/a': 'a\n', 'docs/b': 'b\n', 'docs/c': 'c\n' } })
    const folder = await swarm.build('auth')
    sh(folder, 'git sparse-checkout set src')
    write(folder, { 'docs/b': 'mine\n' })
    await thereAndBack(swarm, folder)
    expect(git(folder, 'status', '--porcelain')).toBe(' M docs/b')
    expect([existsSync(join(folder, 'docs/c')), git(folder, 'sparse-checkout', 'list')]).toEqual([false, 'src'])
  })

  it('is in the same merge, with its conflicts', async () => {
    const swarm = await openSwarm({ files: { a: 'one\n', b: 'b\n' } })
    const folder = await swarm.build('auth')
    commit(swarm.root, { a: 'of main\n', theirs: 't\n' })
    commit(folder, { a: 'of auth\n' })
    sh(folder, 'git merge main || true; echo half > a')
    expect(git(folder, 'ls-files', '--unmerged').split('\n')).toHaveLength(3)
    await thereAndBack(swarm, folder)
    sh(folder, 'echo resolved > a; git add a; git commit -qm Merged')
    expect(git(folder, 'rev-list', '--parents', '-1', 'HEAD').split(' ')).toHaveLength(3)
  })

  it('is in the same rebase, which can be continued', async () => {
    const swarm = await openSwarm({ files: { a: 'one\n' } })
    const folder = await swarm.build('auth')
    commit(swarm.root, { a: 'of main\n' })
    commit(folder, { a: 'of auth\n' })
    commit(folder, { last: 'l\n' })
    sh(folder, 'git rebase main || true')
    await thereAndBack(swarm, folder)
    sh(folder, 'echo resolved > a; git add a; GIT_EDITOR=true git rebase --continue')
    expect(git(folder, 'log', '--format=%s', 'main..HEAD').split('\n')).toHaveLength(2)
    expect(git(folder, 'symbolic-ref', 'HEAD')).toBe('refs/heads/feature/auth')
  })

  it('is on the same detached commit, which no ref holds', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    sh(folder, 'git checkout -q --detach')
    const lost = commit(folder, { lost: 'l' })
    sh(folder, 'git checkout -q --detach HEAD~1')
    commit(folder, { found: 'f' })
    await thereAndBack(swarm, folder)
    expect(git(folder, 'cat-file', '-t', lost)).toBe('commit')
  })

  it('is on its own branch, even one without a commit', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    sh(folder, 'git checkout -q --orphan fresh; echo x > x; git add x')
    await thereAndBack(swarm, folder)
    expect(git(folder, 'symbolic-ref', 'HEAD')).toBe('refs/heads/fresh')
  })

  it('has the bytes that attributes and filters would have changed, and no filter ran', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    git(swarm.root, 'config', 'filter.spy.clean', 'touch ../ran; cat')
    git(swarm.root, 'config', 'filter.spy.smudge', 'touch ../ran; cat')
    git(swarm.root, 'config', 'core.autocrlf', 'true')
    write(folder, {
      '.gitattributes': '* text=auto eol=crlf ident\n*.bin filter=spy\nwide working-tree-encoding=UTF-16\n',
      lf: 'a\nb\n',
      crlf: 'a\r\nb\r\n',
      mixed: 'a\r\nb\n$Id$\n',
      'large.bin': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n',
      wide: 'no UTF-16 at all\n',
    })
    const before = snapshot(folder)
    await discard(swarm)
    trash(swarm).forEach((path) => rmSync(path, { recursive: true }))
    await restore(swarm)
    expect(snapshot(folder)).toEqual(before)
    expect(existsSync(join(swarm.root, '../ran'))).toBe(false)
  })

  it('has its nested repositories unchanged: their commits, their index, their own ignored files', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    sh(
      folder,
      'git init -q inner; cd inner; git config user.name I; git config user.email i@example.com; echo "*.log" > .gitignore; echo x > x; git add .; git commit -qm Inner; echo y > y; git add y; echo z > z; echo l > a.log; git init -q empty',
    )
    const before = {
      files: snapshot(join(folder, 'inner')),
      git: standing(join(folder, 'inner')),
      config: read(folder, 'inner/.git/config'),
    }
    await thereAndBack(swarm, folder)
    expect({
      files: snapshot(join(folder, 'inner')),
      git: standing(join(folder, 'inner')),
      config: read(folder, 'inner/.git/config'),
    }).toEqual(before)
    expect(existsSync(join(folder, 'inner/empty/.git/refs/heads'))).toBe(true)
  })

  it('has its submodules with the commits that were made in them', async () => {
    const swarm = await openSwarm()
    const library = join(swarm.root, '../library')
    sh(
      swarm.root,
      `git init -q -b main ${library}; cd ${library}; git config user.name L; git config user.email l@example.com; echo l > l; git add l; git commit -qm Library`,
    )
    sh(
      swarm.root,
      `git -c protocol.file.allow=always submodule --quiet add ${library} library; git commit -qm 'Use it'`,
    )
    const folder = await swarm.build('auth')
    sh(
      folder,
      'git -c protocol.file.allow=always submodule --quiet update --init; cd library; git config user.name L; git config user.email l@example.com; echo new > new; git add new; git commit -qm New; echo half > half',
    )
    const made = git(join(folder, 'library'), 'rev-parse', 'HEAD')
    await thereAndBack(swarm, folder)
    expect(git(join(folder, 'library'), 'rev-parse', 'HEAD')).toBe(made)
    expect(git(join(folder, 'library'), 'status', '--porcelain')).toBe('?? half')
  })

  it('has its stash, even if it was cleared since then', async () => {
    const swarm = await openSwarm({ files: { a: 'a\n' } })
    const folder = await swarm.build('auth')
    sh(folder, 'echo stashed > a; git stash -q -m mine; echo again > a')
    const stash = git(folder, 'rev-parse', 'refs/stash')
    sh(swarm.root, 'echo other > a; git stash -q -m not-mine')
    const foreign = git(swarm.root, 'rev-parse', 'refs/stash')
    const { archiveRef } = await discard(swarm)
    sh(swarm.root, 'git stash clear')
    forgetUnreferenced(swarm.root)
    expect(git(swarm.root, 'show', `${stash}:a`)).toBe('stashed')
    expect(git(swarm.root, 'merge-base', '--is-ancestor', stash, archiveRef!)).toBe('')
    expect(() => git(swarm.root, 'cat-file', '-e', foreign)).toThrow()
  })

  it('has a file that was in the place of its .git, next to the right one', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    commit(folder, { a: 'x' })
    sh(
      folder,
      'rm .git; git init -q -b mine; git config user.name M; git config user.email m@example.com; git add .; git commit -qm Mine',
    )
    const mine = git(folder, 'rev-parse', 'HEAD')
    await discard(swarm)
    trash(swarm).forEach((path) => rmSync(path, { recursive: true }))
    await restore(swarm)
    expect(git(folder, 'symbolic-ref', 'HEAD')).toBe('refs/heads/feature/auth')
    expect(git(join(folder, '.git.archived'), 'rev-parse', 'refs/heads/mine')).toBe(mine)
  })

  it('has its staged state, even if its .git file was deleted by hand', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    write(folder, { staged: 's\n' })
    sh(folder, 'git add staged; echo later > staged')
    const before = standing(folder)
    rmSync(join(folder, '.git'))
    await discard(swarm)
    trash(swarm).forEach((path) => rmSync(path, { recursive: true }))
    await restore(swarm)
    expect(standing(folder)).toBe(before)
    expect(read(folder, 'staged')).toBe('later\n')
  })

  it('has its branch, its files and an index, even if git had forgotten it', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    commit(folder, { a: 'x' })
    write(folder, { a: 'changed', new: 'n' })
    rmSync(swarm.path('.git/worktrees'), { recursive: true })
    await discard(swarm)
    await restore(swarm)
    expect(git(folder, 'status', '--porcelain')).toBe(' M a\n?? new')
    expect(git(folder, 'symbolic-ref', 'HEAD')).toBe('refs/heads/feature/auth')
  })

  it('has its last commit and its staged files, even if its folder was deleted by hand', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    commit(folder, { a: 'x' })
    write(folder, { a: 'staged\n' })
    sh(folder, 'git add a')
    rmSync(folder, { recursive: true })
    await discard(swarm)
    forgetUnreferenced(swarm.root)
    await restore(swarm)
    expect([read(folder, 'a'), git(folder, 'show', ':a'), git(folder, 'diff', '--cached', '--name-only')]).toEqual([
      'x',
      'staged',
      'a',
    ])
  })
})

describe('a restore', () => {
  it('takes from the trash what the archive does not contain', async () => {
    const swarm = await openSwarm({ files: { '.gitignore': 'node_modules/\nlarge\n' } })
    const folder = await swarm.build('auth')
    write(folder, { 'node_modules/m/index.js': 'm', work: 'w' })
    writeFileSync(join(folder, 'large'), Buffer.alloc(51 * 1024 * 1024, 7))
    const before = snapshot(folder)
    await discard(swarm)
    expect(tars(swarm)).toEqual([])
    await restore(swarm)
    expect(snapshot(folder)).toEqual(before)
  })

  it('works even if git clean deleted the database', async () => {
    const swarm = await openSwarm({ files: { '.gitignore': '.env\n.aiswarm/\n' } })
    const folder = await swarm.build('auth')
    commit(folder, { a: 'x' })
    write(folder, { '.env': 'K=1\n', half: 'h' })
    const before = snapshot(folder)
    await discard(swarm)
    swarm.core.store.close()
    git(swarm.root, 'clean', '-ffdxq')
    expect(existsSync(swarm.path('.aiswarm/coordination.db'))).toBe(false)
    const again = await openSwarm({ root: swarm.root })
    expect((await refusal(restore(again))).code).toBe('not_found')
    expect(await adoptFromRefs(again.world, 'auth')).toBe(true)
    expect(await restore(again)).toMatchObject({ status: 'active', branchName: 'feature/auth' })
    expect(snapshot(folder)).toEqual(before)
    expect(await adoptFromRefs(again.world, 'nobody')).toBe(false)
  })

  it('works for an integrated worktree too', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    commit(folder, { a: 'x' })
    await discard(swarm)
    connectionOf(swarm.core.store).exec(
      "UPDATE worktrees SET status = 'integrated', discard_reason = NULL, integration_target = 'main'",
    )
    expect(await restore(swarm)).toMatchObject({ status: 'active', integrationTarget: null })
    expect(git(folder, 'status', '--porcelain')).toBe('')
  })

  it('is possible after every discard', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    for (const n of ['1', '2', '3']) {
      write(folder, { [`file${n}`]: n })
      await discard(swarm)
      await restore(swarm)
    }
    expect([read(folder, 'file1'), read(folder, 'file2'), read(folder, 'file3')]).toEqual(['1', '2', '3'])
    expect(await checkouts(swarm.root)).toMatchObject([
      {},
      { lock: expect.stringMatching(/^aiswarm works here: worktree auth, restored from refs/) as string },
    ])
    await swarm.build('other')
  })

  it('does not overwrite files in the place of the folder', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    await discard(swarm)
    mkdirSync(folder)
    writeFileSync(join(folder, 'mine'), 'm')
    expect(await refusal(restore(swarm))).toMatchObject({
      code: 'path_exists',
      message: `${folder} already exists; move it away, then restore auth again.`,
    })
    expect(read(folder, 'mine')).toBe('m')
    expect(await swarm.worktree('auth')).toMatchObject({ status: 'discarded', discardReason: 'not needed' })
    rmSync(folder, { recursive: true })
    expect(await restore(swarm)).toMatchObject({ status: 'active' })
  })

  it('does not change a branch that has moved or is in use, and uses another one', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    const tip = commit(folder, { a: 'x' })
    await discard(swarm)
    git(swarm.root, 'branch', '--force', 'feature/auth', 'main')
    const moved = await refusal(restore(swarm))
    expect(moved.message).toMatch(
      /^The branch feature\/auth has moved since auth was archived \(\w+ → \w+\); 'aiswarm worktree restore auth --branch NAME' restores it on another branch\.$/,
    )
    git(swarm.root, 'branch', '--force', 'feature/auth', tip)
    git(swarm.root, 'checkout', '--quiet', 'feature/auth')
    expect((await refusal(restore(swarm))).message).toContain('is checked out in')
    expect(await restore(swarm, 'auth', 'feature/again')).toMatchObject({
      status: 'active',
      branchName: 'feature/again',
    })
    expect(git(folder, 'rev-parse', 'feature/again')).toBe(tip)
    expect(git(folder, 'symbolic-ref', 'HEAD')).toBe('refs/heads/feature/again')
  })

  it('reports a damaged archive, and creates nothing', async () => {
    const swarm = await openSwarm({ files: { '.gitignore': '.env\n' } })
    const folder = await swarm.build('auth')
    write(folder, { '.env': 'K=1\n' })
    const { archiveRef } = await discard(swarm)
    const tar = tars(swarm)[0]!
    chmodSync(tar, 0o600)
    writeFileSync(tar, readFileSync(tar, 'latin1').replace('K=1', 'K=2'), 'latin1')
    expect((await refusal(restore(swarm))).message).toMatch(
      /^Worktree auth could not be restored; its archive is unchanged: its archive could not be verified \(\.env would not be restored unchanged from /,
    )
    expect(existsSync(folder)).toBe(false)
    git(swarm.root, 'update-ref', '-d', archiveRef!)
    expect((await refusal(restore(swarm))).message).toBe(
      `The archive ${archiveRef} is gone; 'git for-each-ref refs/aiswarm/archive' lists the existing ones.`,
    )
    expect(await checkouts(swarm.root)).toHaveLength(1)
  })
})
