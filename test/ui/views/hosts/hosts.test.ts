import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { insertHost } from '../../../../src/db/hosts.ts'
import type { NewHost } from '../../../../src/db/schema/hosts.ts'
import { person } from '../../../../src/domain/agent/actor.ts'
import { perform } from '../../../../src/operations/perform/perform.ts'
import { listHosts } from '../../../../src/operations/hosts/list.ts'
import { eventually } from '../../../support/eventually.ts'
import { type Fixture, openFixture } from '../../fixture.ts'
import { openScreen } from '../../screen.ts'

let fixture: Fixture
beforeEach(async () => void (fixture = await openFixture()))
afterEach(() => fixture.close())

const join = (id: string, name: string, beatAt: string | null, change: Partial<NewHost> = {}): Promise<void> =>
  fixture.core.store.write((db) =>
    insertHost(db, {
      ...{ id, name, beat_at: beatAt, machine: id, root: `/${id}`, program: '1.2.3' },
      ...{ labels: '["big","linux"]', kinds: '["claude"]', max_parallel: 4, joined_at: fixture.core.clock() },
      ...change,
    }),
  )
const states = async () => (await perform(fixture.core, listHosts, {}, person)).map(({ state }) => state)

describe('the hosts of the board', () => {
  test('are not shown while there is one', async () => {
    const screen = openScreen(fixture, { columns: 80, rows: 24 })
    await screen.press('H')
    await screen.shows('This board has one host.')
    await screen.close()
  })

  test.each([
    [80, 24],
    [60, 15],
  ])('are shown at %i×%i with their state, and the labels and kinds of the selected one', async (columns, rows) => {
    await join('b', 'build-2', fixture.core.clock())
    await join('c', 'laptop', '2026-01-27T03:39:00.000Z')
    const screen = openScreen(fixture, { columns, rows })
    await screen.press('H')
    await screen.shows('3 hosts')
    await screen.shows(/build-2 +up +0\/4/)
    await screen.shows(/laptop +silent since \d\d:\d\d:\d\d/)
    await screen.press('j')
    await screen.shows('labels big, linux')
    await screen.shows('kinds claude')
    await screen.close()
  })

  test('say why they take nothing new', async () => {
    const now = fixture.core.clock()
    await join('b', 'build-2', now, { hold: 'only 2 GB of the disk is free' })
    await join('c', 'build-3', now, { unpushed_at: '2026-01-27T03:39:00.000Z' })
    await join('d', 'build-4', null, { state: 'draining' })
    const screen = openScreen(fixture, { columns: 60, rows: 15 })
    await screen.press('H')
    await screen.shows(/build-2 +on hold +0\/4/)
    await screen.shows(/build-3 +unpushed \d\d:\d\d:\d\d +0\/4/)
    await screen.shows(/build-4 +gone +0\/4/)
    await screen.press('j')
    await screen.shows('starts nothing new: only 2 GB of the disk is free')
    await screen.close()
  })

  test('say of the selected one as whom its agents run, and what they can do without a sandbox', async () => {
    const now = fixture.core.clock()
    await join('b', 'build-2', now, { agents_as: 'anna', unconfined: '' })
    await join('c', 'build-3', now, { agents_as: 'root', unconfined: 'bubblewrap is not installed; install it' })
    const screen = openScreen(fixture, { columns: 60, rows: 15 })
    await screen.press('H', 'j')
    await screen.shows('agents run as anna, in a sandbox')
    await screen.press('j')
    await screen.shows('agents run as root without a sandbox (bubblewrap is not')
    await screen.shows('nothing through aiswarm')
    // A long sentence leaves room for the hosts themselves.
    await screen.shows(/ local[^]*\n.* build-2 +up[^]*\n.*>?build-3 +up/)
    await screen.close()
  })

  test('show a long reason whole on a small screen', async () => {
    const now = fixture.core.clock()
    await join('b', 'build-2', now, { brake: 'its load is 4.2 for each processor, more than 1.5 (fleet.maxLoad)' })
    await join('c', 'build-3', now, { state: 'draining', stopping_at: now })
    const screen = openScreen(fixture, { columns: 60, rows: 15 })
    await screen.press('H')
    await screen.shows(/build-2 +on hold +0\/4/)
    await screen.press('j')
    await screen.shows('starts nothing new: its load is 4.2 for each processor')
    await screen.shows('1.5 (fleet.maxLoad)')
    await screen.press('j')
    await screen.shows('drained until its next worker starts')
    await screen.close()
  })

  test('are drained and resumed with one key, and declared lost after a question', async () => {
    await join('b', 'build-2', fixture.core.clock())
    const screen = openScreen(fixture, { columns: 80, rows: 24 })
    await screen.press('H')
    await screen.shows('2 hosts')
    await screen.press('x')
    await screen.shows('has the main checkout, so it cannot be declared lost')
    await screen.press('j')
    await screen.press('d')
    await screen.shows('Host build-2 starts nothing new.')
    await eventually(async () => expect(await states()).toEqual(['up', 'draining']))
    await screen.shows(/build-2 +draining/)
    await screen.press('d')
    await screen.shows('Host build-2 starts work again.')
    await screen.press('x')
    await screen.shows('Declare host build-2 lost?')
    await screen.press('n')
    expect(await states()).toEqual(['up', 'up'])
    await screen.press('x')
    await screen.shows('Declare host build-2 lost?')
    await screen.press('y')
    await eventually(async () => expect(await states()).toEqual(['up', 'lost']))
    await screen.press('H')
    await screen.shows(/build-2 +lost/)
    await screen.close()
  })

  test('are forgotten after a question, except the one with the main checkout', async () => {
    await join('b', 'build-2', fixture.core.clock())
    await join('c', 'laptop', fixture.core.clock())
    const screen = openScreen(fixture, { columns: 80, rows: 24 })
    await screen.press('H')
    await screen.shows('3 hosts')
    await screen.press('f')
    await screen.shows('has the main checkout, so it cannot be forgotten')
    await screen.press('j')
    await screen.press('f')
    await screen.shows('Remove host build-2 from the board?')
    await screen.press('n')
    expect(await states()).toHaveLength(3)
    await screen.press('f')
    await screen.shows('Remove host build-2 from the board?')
    await screen.press('y')
    await screen.shows('Host build-2 is forgotten.')
    await eventually(async () => expect(await states()).toHaveLength(2))
    await screen.close()
  })
})
