import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { insertHost } from '../../../src/db/hosts.ts'
import { type Fixture, openFixture } from '../fixture.ts'
import { openScreen } from '../screen.ts'

let fixture: Fixture
beforeEach(async () => void (fixture = await openFixture()))
afterEach(() => fixture.close())

/** A worktree on another host that was last heard of then. */
const addElsewhere = async (beatAt: string): Promise<void> => {
  await fixture.addWorktree('lamp')
  await fixture.addWorktree('door')
  await fixture.core.store.write(async (db) => {
    const host = { id: 'b', name: 'build-2', machine: 'b', root: '/b', program: '1', joined_at: beatAt }
    await insertHost(db, { ...host, beat_at: beatAt })
    await db.updateTable('worktrees').set({ host_id: 'b' }).where('name', '=', 'lamp').execute()
  })
}

describe('the pane of the worktrees', () => {
  test('names the host of each if there are several', async () => {
    await addElsewhere(fixture.core.clock())
    const screen = openScreen(fixture, { columns: 100, rows: 30 })
    await screen.shows(/WORKTREE .* HOST +/)
    await screen.shows(/lamp .* build-2 +/)
    await screen.shows(/door .* local +/)
    await screen.close()
  })

  test('says since when a host is silent', async () => {
    await addElsewhere('2026-01-27T03:39:00.000Z')
    const screen = openScreen(fixture, { columns: 80, rows: 24 })
    await screen.shows(/lamp .* build-2 +.*host silent since \d\d:\d\d:\d\d/)
    await screen.close()
  })

  test('has no such column if all are on one host', async () => {
    await fixture.addWorktree('lamp')
    const screen = openScreen(fixture, { columns: 100, rows: 30 })
    await screen.shows(/lamp/)
    expect(screen.text()).not.toContain('HOST')
    await screen.close()
  })
})
