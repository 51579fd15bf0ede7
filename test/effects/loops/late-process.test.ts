import { mkdirSync, renameSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { LOCAL } from '../../../src/domain/host/host.ts'
import { jobsFor } from '../../../src/effects/loops/jobs.ts'
import { wishesOf } from '../../../src/effects/wishes.ts'
import { databasePath } from '../../../src/effects/files/paths.ts'
import { holdFolder, letGo, takeAway } from '../../../src/effects/worktrees/trash.ts'
import { fence, holding, whileHolding } from '../../../src/effects/lease.ts'
import type { World } from '../../../src/effects/world.ts'
import { createWorktree } from '../../../src/operations/worktrees/create.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { releaseLease } from '../../../src/operations/supervision/leases.ts'
import type { Wish } from '../../../src/contracts/outside.ts'
import { temporaryFolder } from '../../support/core.ts'
import { tamper } from '../../support/store.ts'
import { openSwarm, read, sh, type Swarm, until, write } from '../swarm.ts'

const wish: Wish = { kind: 'build_worktree', worktree: 'auth' }

/** A requested worktree whose creation has not started. */
const wanted = (swarm: Swarm) =>
  perform(swarm.core, createWorktree, { name: 'auth', branchName: 'feature/auth' }, person)

const lapse = (swarm: Swarm): void => tamper(databasePath(swarm.root), 'DELETE FROM leases')

describe('a process that resumes after another one has done its work', () => {
  it('does not change a finished worktree that it was going to create', async () => {
    const swarm = await openSwarm()
    await wanted(swarm)
    const late = jobsFor(swarm.world, await wishesOf(swarm.world), wish)
    await swarm.turn()
    write(swarm.path('../auth'), { work: 'an hour of it' })
    expect(late).toHaveLength(1)
    for (const job of late) await job.run()
    expect(read(swarm.root, '../auth/work')).toBe('an hour of it')
    expect(await swarm.worktree('auth')).toMatchObject({ folder: 'ready', status: 'active' })
  })

  it('reverts nothing when its own setup fails after it lost its role', async () => {
    const swarm = await openSwarm({
      config:
        'worktrees: {setup: "test -e ../second || { echo >> ../first; while ! test -e ../second; do sleep 0.02; done; exit 1; }"}\n',
    })
    await wanted(swarm)
    const [late] = jobsFor(swarm.world, await wishesOf(swarm.world), wish)
    const first = late!.run()
    await until('the first setup', () => sh(swarm.root, 'ls ..').includes('first'))
    lapse(swarm)
    write(swarm.root, { '../second': '' })
    const other = await swarm.open()
    for (const job of jobsFor(other, await wishesOf(other), wish)) await job.run()
    write(swarm.path('../auth'), { work: 'an hour of it' })
    expect(await first).toBe(false)
    expect(read(swarm.root, '../auth/work')).toBe('an hour of it')
    expect(await swarm.worktree('auth')).toMatchObject({ folder: 'ready', status: 'active' })
  })
})

describe('a role that another process has taken', () => {
  it('ends the writes and the irreversible steps of its former holder, for good', async () => {
    const swarm = await openSwarm()
    const role = { name: 'test', holder: '' }
    const work = whileHolding(swarm.world, 'test', 0, async (held) => {
      await fence(held)
      lapse(swarm)
      const other = await swarm.open()
      await whileHolding(other, 'test', 0, async () => expect(fence(held)).rejects.toMatchObject({ code: 'role_lost' }))
      // After its release it still does not belong to the first process.
      await expect(perform(held.core, releaseLease, role, held.actor)).rejects.toMatchObject({ code: 'role_lost' })
      throw new Error('another failure')
    })
    await expect(work).rejects.toMatchObject({ code: 'role_lost' })
  })
})

describe('a lease for work in one clone', () => {
  it('lets one process of a host work at a time, and those of other hosts beside it', async () => {
    const swarm = await openSwarm()
    const on = (host: string): World => ({ ...swarm.world, core: { ...swarm.core, host } })
    const both = await holding(on('bbbbbbbb'), 'test', async () => {
      const here = holding(on('bbbbbbbb'), 'test', () => Promise.resolve(), 0)
      await expect(here).rejects.toMatchObject({ code: 'database_busy' })
      return holding(on(LOCAL), 'test', () => holding(on('cccccccc'), 'test', () => Promise.resolve('all'), 0), 0)
    })
    expect(both).toBe('all')
  })
})

describe('the move of a folder into the trash', () => {
  it('moves the folder that was checked', () => {
    const place = temporaryFolder()
    write(place, { 'a/file': 'x' })
    const held = holdFolder(`${place}/a`)!
    takeAway(held, `${place}/b`)
    letGo(held)
    expect(read(place, 'b/file')).toBe('x')
  })

  it('puts another folder with its name back', () => {
    const place = temporaryFolder()
    mkdirSync(`${place}/a`)
    const held = holdFolder(`${place}/a`)!
    renameSync(`${place}/a`, `${place}/elsewhere`)
    write(place, { 'a/file': 'x' })
    expect(() => takeAway(held, `${place}/b`)).toThrow('another folder')
    letGo(held)
    expect(read(place, 'a/file')).toBe('x')
    expect(sh(place, 'ls')).toBe('a\nelsewhere')
  })

  it('does not follow a link', () => {
    const place = temporaryFolder()
    sh(place, 'mkdir real; ln -s real link')
    expect(holdFolder(`${place}/link`)).toBeUndefined()
  })
})
