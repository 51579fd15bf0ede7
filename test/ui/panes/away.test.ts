import chalk from 'chalk'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { insertHost } from '../../../src/db/hosts.ts'
import { person } from '../../../src/domain/agent/actor.ts'
import { Refusal } from '../../../src/domain/rules/refusal.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { spawnAgent } from '../../../src/operations/agents/spawn.ts'
import { type Fixture, openFixture } from '../fixture.ts'
import { openScreen, type Screen } from '../screen.ts'

let fixture: Fixture
let screen: Screen
beforeEach(async () => void (fixture = await openFixture()))
afterEach(async () => {
  await screen.close()
  fixture.close()
})

/** An agent in a worktree on another host that was last heard of then, and one on the first host. */
const addElsewhere = async (beatAt: string): Promise<void> => {
  await fixture.addWorktree('lamp')
  const spawn = (id: string) =>
    perform(
      fixture.core,
      spawnAgent,
      { id, personaId: 'implementer', kind: 'claude', assignedWorktree: 'lamp', beside: true },
      person,
    )
  await spawn('there')
  await spawn('here')
  await fixture.core.store.write(async (db) => {
    const host = { id: 'b', name: 'build-2', machine: 'b', root: '/b', program: '1', joined_at: beatAt }
    await insertHost(db, { ...host, beat_at: beatAt })
    await db.updateTable('agents').set({ host_id: 'b' }).where('id', '=', 'there').execute()
  })
}

const dimmed = (name: string): RegExp => new RegExp(`\u001b\\[2m[^\u001b]*○ ${name}`)

describe('an agent of a host', () => {
  test('that is silent is dim and says since when, in its row and its detail', async () => {
    const { level } = chalk
    chalk.level = 1
    onTestFinished(() => void (chalk.level = level))
    await addElsewhere('2026-01-27T03:39:00.000Z')
    screen = openScreen(fixture, { columns: 100, rows: 40 })
    await screen.shows(/there .*silent \d\d:\d\d/)
    const drawn = screen.written.join('')
    expect(drawn).toMatch(dimmed('there'))
    expect(drawn).not.toMatch(dimmed('here'))
    await screen.press('2', '\r')
    await screen.shows(/host +build-2, host silent since \d\d:\d\d:\d\d/)
  })

  test('that is heard of is as before, with the host of each', async () => {
    await addElsewhere(fixture.core.clock())
    screen = openScreen(fixture, { columns: 100, rows: 40 })
    await screen.shows(/○ there/)
    expect(screen.text()).not.toContain('silent')
    await screen.shows(/AGENT .* HOST +/)
    await screen.shows(/○ there .* build-2 +/)
    await screen.shows(/○ here .* local +/)
  })
})

describe('a board that does not answer', () => {
  /** Has every read refused; returns the function that ends it. */
  const refuse = (refusal: Refusal): (() => void) => {
    const { store } = fixture.core as { store: { reading?: unknown } }
    const observeWorktrees = fixture.world.observeWorktrees.bind(fixture.world)
    store.reading = () => Promise.reject(refusal)
    fixture.world.observeWorktrees = () => Promise.reject(refusal)
    return () => {
      delete store.reading
      fixture.world.observeWorktrees = observeWorktrees
    }
  }

  test('is said in the header with the time since when, until it does again', async () => {
    await fixture.addWorktree('lamp')
    screen = openScreen(fixture, { columns: 120, rows: 30 })
    await screen.shows('lamp')
    const answer = refuse(new Refusal('store_unreachable', 'PostgreSQL at b does not answer (cut).'))
    await screen.shows(/⚠ cut off from the board since \d\d:\d\d:\d\d/)
    answer()
    await screen.lacks('cut off from the board')
  })

  test('is read again when it does, without any new commit', async () => {
    await fixture.addTask('First')
    screen = openScreen(fixture, { columns: 120, rows: 30 })
    await screen.shows('First')
    const answer = refuse(new Refusal('not_allowed', 'PostgreSQL at b does not allow it (tasks).'))
    await fixture.addTask('Bake')
    await screen.shows('does not allow it')
    await screen.shows('cut off from the board')
    answer()
    await screen.shows('Bake')
    await screen.lacks('cut off from the board')
  })
})
