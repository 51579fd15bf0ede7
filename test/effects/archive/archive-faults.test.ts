import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  watch,
  writeFileSync,
  chmodSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { removeWorktree } from '../../../src/effects/archive/remover.ts'
import { sweepTrash } from '../../../src/effects/archive/trash.ts'
import { refusal } from '../../support/core.ts'
import { discard, kept, leaving, restore, snapshot, tars, trash } from '../archived.ts'
import { commit, git, openSwarm, read, sh, type Swarm, write } from '../swarm.ts'
import { connectionOf } from '../../support/store.ts'

/** A refused removal: one sentence, the folder unchanged, and a success once the problem is fixed. */
const staysUntil = async (swarm: Swarm, folder: string, sentence: RegExp, right: () => void): Promise<void> => {
  const before = snapshot(folder)
  const wish = await leaving(swarm)
  const { message, code } = await refusal(removeWorktree(swarm.world, wish))
  expect(message).toMatch(sentence)
  expect(message).not.toContain('\n')
  expect(['archive_failed', 'folder_in_use', 'git_failed']).toContain(code)
  expect(snapshot(folder)).toEqual(before)
  expect(trash(swarm)).toEqual([])
  right()
  expect(await removeWorktree(swarm.world, wish)).toBe(true)
  expect(existsSync(folder)).toBe(false)
}

const oidPath = (swarm: Swarm, oid: string): string => swarm.path('.git/objects', oid.slice(0, 2), oid.slice(2))

describe('a discarded folder stays, with the reason in one sentence,', () => {
  it('while a process of another program works in it', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    write(folder, { a: 'a' })
    const child = spawn('sleep', ['60'], { cwd: folder, stdio: 'ignore' })
    onTestFinished(() => void child.kill('SIGKILL'))
    const gone = new Promise((resolve) => child.once('exit', resolve))
    const wish = await leaving(swarm)
    const { message, code } = await refusal(removeWorktree(swarm.world, wish))
    expect({ message, code }).toEqual({
      code: 'folder_in_use',
      message: `The folder of worktree auth stays in ${folder}, and nothing is lost: process ${child.pid} (sleep) runs there; stop it or make it leave the folder.`,
    })
    expect(child.exitCode).toBe(null)
    child.kill()
    await gone
    expect(await removeWorktree(swarm.world, wish)).toBe(true)
  })

  it('until a process that an agent left running in it has ended', async () => {
    const swarm = await openSwarm({ config: 'lease: {terminateGrace: 1s}\n' })
    const folder = await swarm.build('auth')
    const child = spawn('sh', ['-c', "trap '' TERM; echo ready; while :; do sleep 1; done"], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'], AISWARM_ROOT: swarm.root, AISWARM_AGENT_ID: 'dev' },
    })
    const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)))
    // Before that it would receive TERM.
    await once(child.stdout, 'data')
    await discard(swarm)
    expect(await ended).toBe('SIGKILL')
    expect(existsSync(folder)).toBe(false)
  })

  it('if a staged object is missing', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    write(folder, { staged: 'only here\n' })
    sh(folder, 'git add staged; echo later > staged')
    const oid = git(folder, 'rev-parse', ':staged')
    renameSync(oidPath(swarm, oid), swarm.path('../aside'))
    await staysUntil(
      swarm,
      folder,
      /^The folder of worktree auth stays in .*: its index names objects that git does not have \(\w{40}\); .*\.$/,
      () => renameSync(swarm.path('../aside'), oidPath(swarm, oid)),
    )
  })

  it('if a commit of it is missing', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    const oid = commit(folder, { a: 'x' })
    renameSync(oidPath(swarm, oid), swarm.path('../aside'))
    await staysUntil(
      swarm,
      folder,
      /the commit \w{12} of refs\/heads\/feature\/auth is missing or damaged; 'git fsck' shows more\.$/,
      () => renameSync(swarm.path('../aside'), oidPath(swarm, oid)),
    )
  })

  it('if an object that must hold a file is damaged', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    const text = 'the same bytes\n'.repeat(200)
    write(folder, { new: text })
    const oid = git(swarm.root, 'hash-object', '-w', join(folder, 'new'))
    const whole = readFileSync(oidPath(swarm, oid))
    chmodSync(oidPath(swarm, oid), 0o644)
    truncateSync(oidPath(swarm, oid), whole.length - 8)
    await staysUntil(swarm, folder, /its archive could not be verified \(.+\)\.$/, () =>
      writeFileSync(oidPath(swarm, oid), whole),
    )
  })

  it('if the index cannot be read', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    write(folder, { a: 'a' })
    const index = swarm.path('.git/worktrees/auth/index')
    const whole = readFileSync(index)
    writeFileSync(index, 'no index at all')
    await staysUntil(
      swarm,
      folder,
      /git cannot read its index .*\/index \(.*\); fix it, or delete it together with what is staged only there\.$/,
      () => writeFileSync(index, whole),
    )
  })

  it('if it was replaced by a link', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    write(folder, { a: 'a' })
    renameSync(folder, `${folder}.moved`)
    symlinkSync(swarm.root, folder)
    const wish = await leaving(swarm)
    expect((await refusal(removeWorktree(swarm.world, wish))).message).toBe(
      `The folder of worktree auth stays in ${folder}, and nothing is lost: ${folder} is now a symbolic link to ${swarm.root}.`,
    )
    expect(read(swarm.root, 'README.md')).toBe('a shop\n')
    rmSync(folder)
    renameSync(`${folder}.moved`, folder)
    expect(await removeWorktree(swarm.world, wish)).toBe(true)
  })

  it('if the disk is full', async () => {
    const swarm = await openSwarm({ files: { '.gitignore': 'large\n' } })
    const folder = await swarm.build('auth')
    writeFileSync(join(folder, 'large'), Buffer.alloc(12 * 1024 * 1024, 1))
    const before = snapshot(folder)
    await leaving(swarm)
    const program = join(import.meta.dirname, '../../fixtures/remover.ts')
    // Simulates a full disk: no file may grow beyond 8 MB.
    const said = sh(
      swarm.root,
      `ulimit -f 16384; '${process.execPath}' '${program}' '${swarm.root}' remove_worktree auth 0 2>&1 || true`,
    )
    expect(said).toMatch(/The folder of worktree auth stays in .*, and nothing is lost: /)
    expect(snapshot(folder)).toEqual(before)
    expect(tars(swarm).filter((name) => name.endsWith('.tar'))).toEqual([])
    connectionOf(swarm.core.store).exec('DELETE FROM leases')
    await swarm.connection.outside.carryOut({ kind: 'remove_worktree', worktree: 'auth' })
    expect(existsSync(folder)).toBe(false)
    await restore(swarm)
    expect(snapshot(folder)).toEqual(before)
  })
})

describe('the removal of a worktree', () => {
  it('never deletes the lock of an index, and a restore does not create it again', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    const mine = swarm.path('.git/index.lock')
    writeFileSync(mine, '')
    writeFileSync(swarm.path('.git/worktrees/auth/index.lock'), '')
    write(folder, { a: 'a' })
    await discard(swarm)
    expect(existsSync(mine)).toBe(true)
    await restore(swarm)
    rmSync(mine)
    expect(git(folder, 'status', '--porcelain')).toBe('?? a')
  })

  it('archives again what was written during the archive', async () => {
    const swarm = await openSwarm({ files: { '.gitignore': '.env\n' } })
    const folder = await swarm.build('auth')
    write(folder, { '.env': 'x', 'work.txt': 'early\n' })
    mkdirSync(kept(swarm, 'archive'), { recursive: true })
    // The tar gets its name when every file has been read, and before the folder is checked again.
    let written = 0
    const watcher = watch(kept(swarm, 'archive'), (_, name) => {
      if (written > 0 || !name!.endsWith('.tar')) return
      written += 1
      write(folder, { 'work.txt': 'late, and longer\n' })
    })
    onTestFinished(() => watcher.close())
    const { archiveRef } = await discard(swarm)
    expect(written).toBe(1)
    expect(git(swarm.root, 'show', `${archiveRef!}:work.txt`)).toBe('late, and longer')
    trash(swarm).forEach((path) => rmSync(path, { recursive: true }))
    await restore(swarm)
    expect(read(folder, 'work.txt')).toBe('late, and longer\n')
  })

  it('leaves the folder of an agent that does not stop writing', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    // A line at every turn of this process, so that no step of the archiver goes by without one, however busy the
    // machine is.
    let line = 0
    const writing = setInterval(() => write(folder, { 'work.txt': `${line++}\n` }), 0)
    onTestFinished(() => clearInterval(writing))
    const wish = await leaving(swarm)
    const { message, code } = await refusal(removeWorktree(swarm.world, wish))
    expect({ message, code }).toEqual({
      code: 'archive_failed',
      message: `The folder of worktree auth stays in ${folder}, and nothing is lost: a process keeps writing to ${folder}; stop it.`,
    })
    expect([existsSync(folder), trash(swarm)]).toEqual([true, []])
    clearInterval(writing)
    const last = read(folder, 'work.txt')
    expect(await removeWorktree(swarm.world, wish)).toBe(true)
    await restore(swarm)
    expect(read(folder, 'work.txt')).toBe(last)
  })

  it('runs no program that the worktree planted', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    sh(
      folder,
      'mkdir hooks; printf "#!/bin/sh\\ntouch ../ran\\n" | tee hooks/post-checkout hooks/reference-transaction hooks/fsmonitor >/dev/null; chmod +x hooks/*',
    )
    sh(
      swarm.root,
      `git config core.hooksPath ${folder}/hooks; git config core.fsmonitor ${folder}/hooks/fsmonitor; git config filter.x.clean 'touch ${swarm.root}/../ran'; git config filter.x.process 'touch ${swarm.root}/../ran'`,
    )
    rmSync(swarm.path('../ran'), { force: true })
    write(folder, { '.gitattributes': '* filter=x\n', a: 'a' })
    await discard(swarm)
    trash(swarm).forEach((path) => rmSync(path, { recursive: true }))
    await restore(swarm)
    expect(existsSync(swarm.path('../ran'))).toBe(false)
    expect(read(folder, 'a')).toBe('a')
  })

  it('puts the tar and the trash out of the reach of git clean', async () => {
    const swarm = await openSwarm({ files: { '.gitignore': '.env\n' } })
    write(await swarm.build('auth'), { '.env': 'x' })
    await discard(swarm)
    git(swarm.root, 'clean', '-ffdxq')
    expect([trash(swarm).length, tars(swarm).length]).toEqual([1, 1])
  })

  it('keeps two ended worktrees of one branch apart', async () => {
    const swarm = await openSwarm()
    const first = await swarm.build('one', 'shared')
    write(first, { a: '1' })
    await discard(swarm, 'one')
    const second = await swarm.build('two', 'shared')
    write(second, { a: '2' })
    await discard(swarm, 'two')
    await restore(swarm, 'one')
    expect(read(first, 'a')).toBe('1')
    expect((await refusal(restore(swarm, 'two'))).message).toBe(
      'Branch shared is already used by worktree one. Name another one with --branch.',
    )
    await restore(swarm, 'two', 'shared-2')
    expect(read(second, 'a')).toBe('2')
  })
})

describe('the sweep', () => {
  const aged = async (retention = '0s') => {
    const swarm = await openSwarm({
      config: `worktrees: {retention: ${retention}}\n`,
      files: { '.gitignore': '.env\n' },
    })
    const folder = await swarm.build('auth')
    write(folder, { a: 'a', '.env': 'x' })
    const { archiveRef } = await discard(swarm)
    return { swarm, folder, archiveRef: archiveRef! }
  }

  it('removes old trash, lists it, and keeps refs and tars', async () => {
    const { swarm, folder, archiveRef } = await aged()
    const [path] = trash(swarm)
    const hash = createHash('sha256')
      .update(readFileSync(tars(swarm)[0]!))
      .digest('hex')
    const refs = git(swarm.root, 'for-each-ref')
    expect(await sweepTrash(swarm.world)).toEqual({ removed: [path], kept: [] })
    expect(await sweepTrash(swarm.world)).toEqual({ removed: [], kept: [] })
    expect(git(swarm.root, 'for-each-ref')).toBe(refs)
    expect(
      createHash('sha256')
        .update(readFileSync(tars(swarm)[0]!))
        .digest('hex'),
    ).toBe(hash)
    expect(
      connectionOf(swarm.core.store).prepare('SELECT swept_at FROM archives WHERE ref = ?').pluck().get(archiveRef),
    ).not.toBe(null)
    await restore(swarm)
    expect([read(folder, 'a'), read(folder, '.env')]).toEqual(['a', 'x'])
  })

  it('keeps younger trash, trash without its archive, and foreign folders', async () => {
    const { swarm } = await aged('14d')
    expect(await sweepTrash(swarm.world)).toEqual({ removed: [], kept: [] })
    const { swarm: other, archiveRef } = await aged()
    const [path] = trash(other)
    git(other.root, 'update-ref', '-d', archiveRef)
    writeFileSync(other.path('.git/aiswarm/trash/mine'), 'm')
    utimesSync(other.path('.git/aiswarm/trash/mine'), 0, 0)
    expect(await sweepTrash(other.world)).toEqual({
      removed: [],
      kept: [{ path, why: `its archive ${archiveRef} is gone` }],
    })
    expect(readdirSync(other.path('.git/aiswarm/trash'))).toHaveLength(2)
  })
})
