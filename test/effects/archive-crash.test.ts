import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { person } from '../../src/domain/actor.ts'
import { checkouts } from '../../src/effects/git-facts.ts'
import { perform } from '../../src/operations/kernel/perform.ts'
import { restoreWorktree } from '../../src/operations/restore-worktree.ts'
import { kept, leaving, snapshot, standing, tars, trash } from './archived.ts'
import { commit, git, openSwarm, sh, type Swarm, write } from './swarm.ts'

/** EVERY=1 tries every single step, which takes minutes; every twentieth one tells nearly as much. */
const EVERY = Number(process.env['EVERY'] ?? 20)

const program = resolve(import.meta.dirname, '../fixtures/remover.ts')

/** Does a wish in a process of its own, which is killed before its step `killAt` (0: never). */
const carryOut = async (swarm: Swarm, kind: 'remove_worktree' | 'restore_worktree', killAt: number): Promise<{ signal: string | null; steps: number }> => {
  const child = spawn(process.execPath, [program, swarm.root, kind, 'auth', String(killAt)], { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  child.stdout.on('data', (piece: Buffer) => (said += piece.toString()))
  child.stderr.on('data', (piece: Buffer) => (said += piece.toString()))
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(said)
  return { signal, steps: Number(/steps (\d+)/.exec(said)?.[1] ?? 0) }
}

/** A worktree with something of every kind; the folder and what git says of it. */
const filled = async (): Promise<{ swarm: Swarm; folder: string; files: ReadonlyMap<string, string>; stands: string; tip: string }> => {
  const swarm = await openSwarm({ files: { '.gitignore': '.env\nnode_modules/\n', a: 'a\n' } })
  const folder = await swarm.build('auth')
  commit(swarm.root, { a: 'of main\n' })
  commit(folder, { a: 'of auth\n' })
  write(folder, { '.env': 'K=1\n', new: 'n\n', 'node_modules/m/index.js': 'm' })
  sh(folder, 'git merge -q main || true; ln -s nowhere link; mkdir empty; git init -q --template= inner; echo i > inner/i; chmod +x new')
  return { swarm, folder, files: snapshot(folder), stands: standing(folder), tip: git(folder, 'rev-parse', 'HEAD') }
}

/** Whoever comes next. The lease of a killed process would last 15 s. */
const finish = async (swarm: Swarm, kind: 'remove_worktree' | 'restore_worktree'): Promise<void> => {
  swarm.core.store.connection.exec('DELETE FROM leases')
  await swarm.connection.outside.carryOut({ kind, worktree: 'auth' })
}

const leftovers = (swarm: Swarm): readonly string[] => (existsSync(kept(swarm)) ? readdirSync(kept(swarm)).filter((name) => !['trash', 'archive'].includes(name)) : [])

describe('a process that is killed before any of its steps', { timeout: 1_200_000 }, () => {
  it('leaves the folder or all of the archive, and whoever comes next finishes; there and back', async () => {
    const { steps } = await whole()
    expect(steps.remove).toBeGreaterThan(25)
    expect(steps.restore).toBeGreaterThan(25)
    const points = Array.from({ length: Math.max(steps.remove, steps.restore) }, (_, at) => at + 1).filter((point) => point % EVERY === 0)
    await inTurns(points, 3, async (mine) => {
      const { swarm, folder, files, stands, tip } = await filled()
      for (let point = mine(); point !== undefined; point = mine()) {
        await leaving(swarm)
        const removing = await carryOut(swarm, 'remove_worktree', point)
        // Nothing is ever in neither place.
        const there = existsSync(folder) ? folder : trash(swarm).sort().at(-1)
        expect(there, `removing, killed before step ${point}`).toBeDefined()
        expect(snapshot(there!), `removing, killed before step ${point}`).toEqual(files)
        if (removing.signal !== null) await finish(swarm, 'remove_worktree')
        expect(await swarm.worktree('auth')).toMatchObject({ folder: 'gone', status: 'discarded' })
        expect(existsSync(folder)).toBe(false)
        expect([leftovers(swarm), await checkouts(swarm.root)]).toMatchObject([[], [{}]])

        await perform(swarm.core, restoreWorktree, { worktreeName: 'auth' }, person)
        const restoring = await carryOut(swarm, 'restore_worktree', point)
        if (restoring.signal !== null) {
          expect(git(swarm.root, 'merge-base', '--is-ancestor', tip, (await swarm.worktree('auth')).archiveRef!)).toBe('')
          await finish(swarm, 'restore_worktree')
        }
        expect(await swarm.worktree('auth'), `restoring, killed before step ${point}`).toMatchObject({ folder: 'ready', status: 'active' })
        expect(snapshot(folder), `restoring, killed before step ${point}`).toEqual(files)
        expect(standing(folder), `restoring, killed before step ${point}`).toBe(stands)
        expect(leftovers(swarm)).toEqual([])
      }
    })
  })

  it('and whose git commands are killed with it leaves no lock that keeps the next from its work', async () => {
    const { swarm, folder, files } = await filled()
    const wish = await leaving(swarm)
    const stamp = wish.endedAt!.replace(/[:.]/g, '-')
    // What `git update-ref` leaves when it is killed between its lock and its renaming.
    sh(swarm.root, `mkdir -p .git/refs/aiswarm/archive/auth; : > .git/refs/aiswarm/archive/auth/${stamp}.lock`)
    await carryOut(swarm, 'remove_worktree', 0)
    const { archiveRef } = await swarm.worktree('auth')
    expect(archiveRef).toBe(`refs/aiswarm/archive/auth/${stamp}-2`)
    expect(existsSync(swarm.path(`.git/refs/aiswarm/archive/auth/${stamp}.lock`))).toBe(true)
    trash(swarm).forEach((path) => rmSync(path, { recursive: true }))
    await perform(swarm.core, restoreWorktree, { worktreeName: 'auth' }, person)
    await carryOut(swarm, 'restore_worktree', 0)
    files.forEach((value, path) => path.startsWith('node_modules') || expect([path, snapshot(folder).get(path)]).toEqual([path, value]))
  })

  it('between two archives keeps what only the first one had', async () => {
    const { swarm, folder } = await filled()
    const wish = await leaving(swarm)
    const { steps } = await whole()
    // Behind the ref, before the move.
    for (let point = steps.remove - 12; ; point++) {
      await carryOut(swarm, 'remove_worktree', point)
      if (git(swarm.root, 'for-each-ref', 'refs/aiswarm/archive') !== '') break
    }
    expect(existsSync(folder)).toBe(true)
    const blob = git(folder, 'hash-object', '--no-filters', 'new')
    rmSync(join(folder, 'new'))
    writeFileSync(join(folder, '.env'), 'K=2\n')
    await carryOut(swarm, 'remove_worktree', 0)
    expect(git(swarm.root, 'rev-list', '--objects', (await swarm.worktree('auth')).archiveRef!)).toContain(blob)
    expect(tars(swarm)).toHaveLength(2)
    expect(wish.endedAt).toBeTruthy()
  })
})

/** How many steps it takes when nothing happens. */
const whole = async (): Promise<{ steps: { remove: number; restore: number } }> => {
  const { swarm } = await filled()
  await leaving(swarm)
  const remove = (await carryOut(swarm, 'remove_worktree', 0)).steps
  await perform(swarm.core, restoreWorktree, { worktreeName: 'auth' }, person)
  return { steps: { remove, restore: (await carryOut(swarm, 'restore_worktree', 0)).steps } }
}

/** Shares the items out among so many workers. */
const inTurns = async <T>(items: readonly T[], width: number, work: (mine: () => T | undefined) => Promise<void>): Promise<void> => {
  const left = [...items]
  await Promise.all(Array.from({ length: width }, () => work(() => left.shift())))
}
