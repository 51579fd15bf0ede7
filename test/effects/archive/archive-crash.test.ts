import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { checkouts } from '../../../src/effects/git/repository.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { restoreWorktree } from '../../../src/operations/worktrees/restore.ts'
import { ofDay } from '../../support/dose.ts'
import { kept, leaving, snapshot, standing, tars, trash } from '../archived.ts'
import { commit, git, openSwarm, sh, type Swarm, write } from '../swarm.ts'
import { connectionOf } from '../../support/store.ts'

/** One step in this many is tried per day: one or two of each operation in both directions. */
const ONE_IN = 20

const program = resolve(import.meta.dirname, '../../fixtures/remover.ts')

/** Carries out a wish in a process of its own, which is killed before its step `killAt` (0: never). */
const carryOut = async (
  swarm: Swarm,
  kind: 'remove_worktree' | 'restore_worktree',
  killAt: number,
): Promise<{ signal: string | null; steps: number }> => {
  const child = spawn(process.execPath, [program, swarm.root, kind, 'auth', String(killAt)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stdout.on('data', (piece: Buffer) => (said += piece.toString()))
  child.stderr.on('data', (piece: Buffer) => (said += piece.toString()))
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(said)
  return { signal, steps: Number(/steps (\d+)/.exec(said)?.[1] ?? 0) }
}

/** A worktree with a file of every kind; returns the folder and its git status. */
const filled = async (): Promise<{
  swarm: Swarm
  folder: string
  files: ReadonlyMap<string, string>
  stands: string
  tip: string
}> => {
  const swarm = await openSwarm({ files: { '.gitignore': '.env\nnode_modules/\n', a: 'a\n' } })
  const folder = await swarm.build('auth')
  commit(swarm.root, { a: 'of main\n' })
  commit(folder, { a: 'of auth\n' })
  write(folder, { '.env': 'K=1\n', new: 'n\n', 'node_modules/m/index.js': 'm' })
  sh(
    folder,
    'git merge -q main || true; ln -s nowhere link; mkdir empty; git init -q --template= inner; echo i > inner/i; chmod +x new',
  )
  return { swarm, folder, files: snapshot(folder), stands: standing(folder), tip: git(folder, 'rev-parse', 'HEAD') }
}

/** The next process. The lease of a killed process would last for 15 s. */
const finish = async (swarm: Swarm, kind: 'remove_worktree' | 'restore_worktree'): Promise<void> => {
  connectionOf(swarm.core.store).exec('DELETE FROM leases')
  await swarm.connection.outside.carryOut({ kind, worktree: 'auth' })
}

const leftovers = (swarm: Swarm): readonly string[] =>
  existsSync(kept(swarm)) ? readdirSync(kept(swarm)).filter((name) => !['trash', 'archive'].includes(name)) : []

describe('a process that is killed before any step of an archive or a restore', { timeout: 1_200_000 }, () => {
  it('leaves the folder or the whole archive, and the next process completes the work, in both directions', async () => {
    const steps = await stepsOfBoth()
    expect(steps.remove).toBeGreaterThan(25)
    expect(steps.restore).toBeGreaterThan(25)
    const points = ofDay(
      Array.from({ length: Math.max(steps.remove, steps.restore) }, (_, at) => at + 1),
      ONE_IN,
    )
    await inTurns(points, Math.min(3, points.length), async (mine) => {
      const { swarm, folder, files, stands, tip } = await filled()
      for (let point = mine(); point !== undefined; point = mine()) {
        await leaving(swarm)
        const removing = await carryOut(swarm, 'remove_worktree', point)
        // Every file is always in at least one of the two places.
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
          expect(git(swarm.root, 'merge-base', '--is-ancestor', tip, (await swarm.worktree('auth')).archiveRef!)).toBe(
            '',
          )
          await finish(swarm, 'restore_worktree')
        }
        expect(await swarm.worktree('auth'), `restoring, killed before step ${point}`).toMatchObject({
          folder: 'ready',
          status: 'active',
        })
        expect(snapshot(folder), `restoring, killed before step ${point}`).toEqual(files)
        expect(standing(folder), `restoring, killed before step ${point}`).toBe(stands)
        expect(leftovers(swarm)).toEqual([])
      }
    })
  })

  it('and its git commands leave no lock that blocks the next process', async () => {
    const { swarm, folder, files } = await filled()
    const wish = await leaving(swarm)
    const stamp = wish.endedAt!.replace(/[:.]/g, '-')
    // The state that `git update-ref` leaves if it is killed between its lock and its rename.
    sh(swarm.root, `mkdir -p .git/refs/aiswarm/archive/auth; : > .git/refs/aiswarm/archive/auth/${stamp}.lock`)
    await carryOut(swarm, 'remove_worktree', 0)
    const { archiveRef } = await swarm.worktree('auth')
    expect(archiveRef).toBe(`refs/aiswarm/archive/auth/${stamp}-2`)
    expect(existsSync(swarm.path(`.git/refs/aiswarm/archive/auth/${stamp}.lock`))).toBe(true)
    trash(swarm).forEach((path) => rmSync(path, { recursive: true }))
    await perform(swarm.core, restoreWorktree, { worktreeName: 'auth' }, person)
    await carryOut(swarm, 'restore_worktree', 0)
    files.forEach(
      (value, path) =>
        path.startsWith('node_modules') || expect([path, snapshot(folder).get(path)]).toEqual([path, value]),
    )
  })

  it('between two archives keeps the files that only the first one had', async () => {
    const { swarm, folder } = await filled()
    const wish = await leaving(swarm)
    const steps = await stepsOfBoth()
    // After the ref, before the move.
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
    expect((await swarm.worktree('auth')).archiveRef).toBe(
      `refs/aiswarm/archive/auth/${wish.endedAt!.replace(/[:.]/g, '-')}`,
    )
  })
})

/** The number of steps in each direction without a kill. */
const stepsOfBoth = async (): Promise<{ readonly remove: number; readonly restore: number }> => {
  const { swarm } = await filled()
  await leaving(swarm)
  const remove = (await carryOut(swarm, 'remove_worktree', 0)).steps
  await perform(swarm.core, restoreWorktree, { worktreeName: 'auth' }, person)
  return { remove, restore: (await carryOut(swarm, 'restore_worktree', 0)).steps }
}

/** Distributes the items over this many workers. */
const inTurns = async <T>(
  items: readonly T[],
  width: number,
  work: (mine: () => T | undefined) => Promise<void>,
): Promise<void> => {
  const left = [...items]
  await Promise.all(Array.from({ length: width }, () => work(() => left.shift())))
}
