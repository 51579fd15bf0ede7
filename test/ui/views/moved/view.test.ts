import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { saveWatchedCheckout } from '../../../../src/db/repository.ts'
import { person, system } from '../../../../src/domain/agent/actor.ts'
import { recordPutBack, recordTarget } from '../../../../src/operations/integration/drift-detection.ts'
import { readWatched } from '../../../../src/operations/integration/drift.ts'
import { perform } from '../../../../src/operations/perform/perform.ts'
import { type Fixture, openFixture } from '../../fixture.ts'
import { openScreen } from '../../screen.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
})
afterEach(() => fixture.close())

const [from, to, next] = ['a', 'b', 'c'].map((letter) => letter.repeat(40)) as [string, string, string]

const move = async (before: string, found: string): Promise<void> => {
  const { core } = fixture
  const commits = { added: 1, dropped: 0, newest: ['bbbbbbbb Agent \u001b[2J (Ada)'] }
  await perform(
    core,
    recordTarget,
    { target: 'main', before, found, times: [core.clock()], launching: ['implementer-1'], commits },
    system(),
  )
}

const moved = async (): Promise<void> => {
  const nothing = { added: 0, dropped: 0, newest: [] }
  await perform(
    fixture.core,
    recordTarget,
    { target: 'main', found: from, times: [fixture.core.clock()], launching: [], commits: nothing },
    system(),
  )
  await move(from, to)
}

const watched = () => perform(fixture.core, readWatched, {}, person)
const words = (text: string) => text.replace(/[\s│]+/g, ' ')

describe('a target that was moved', () => {
  test('is in the inbox, is shown with its commits and its diff, and y accepts it', async () => {
    await moved()
    const screen = openScreen(fixture, { columns: 100, rows: 40 })
    await screen.press('W')
    await screen.shows('main moved from aaaaaaaa to bbbbbbbb while implementer-1 ran')
    await screen.press('\r')
    await screen.shows('y accept the move')
    const said = words(screen.text())
    for (const part of [
      'main was at aaaaaaaa and is now at bbbbbbbb.',
      'were running, or had just exited: implementer-1.',
      'Commits: 1 commit added',
      '-old',
      '+new',
    ])
      expect(said).toContain(part)
    expect(screen.text()).toMatch(/bbbbbbbb Agent .*\[2J \(Ada\)/)
    await screen.press('\r', 'n', ' ')
    expect((await watched()).moves.length).toBe(1)
    await screen.press('y')
    await screen.shows('main is accepted at bbbbbbbb.')
    expect(await watched()).toMatchObject({ moves: [], targets: [{ known: to, seen: to }] })
    await screen.close()
  })

  test('is restored by p after a question that names both commits', async () => {
    await moved()
    fixture.world.carryOut = async (wish) => {
      fixture.world.wishes.push(wish)
      await perform(
        fixture.core,
        recordPutBack,
        { target: 'main', outcome: { kind: 'done', archiveRef: null } },
        system(),
      )
    }
    const screen = openScreen(fixture, { columns: 100 })
    await screen.press('w')
    await screen.shows('p put it back')
    await screen.press('p')
    await screen.shows('Moves main from bbbbbbbb back to aaaaaaaa.')
    await screen.press('n')
    expect((await watched()).moves).toMatchObject([{ putBackAt: null }])
    await screen.press('p')
    await screen.shows('Moves main from bbbbbbbb back to aaaaaaaa.')
    await screen.press('y')
    await screen.shows('main is put back to aaaaaaaa')
    expect(fixture.world.wishes).toEqual([{ kind: 'put_back_target', target: 'main' }])
    await screen.close()
  })

  test('that could not be restored still waits, and says why', async () => {
    await moved()
    fixture.world.carryOut = async () => {
      await perform(
        fixture.core,
        recordPutBack,
        { target: 'main', outcome: { kind: 'refused', problem: '/shop has other changes (a); it was not put back.' } },
        system(),
      )
    }
    const screen = openScreen(fixture, { columns: 100 })
    await screen.press('w')
    await screen.shows('p put it back')
    await screen.press('p')
    await screen.shows('Moves main')
    await screen.press('y')
    await screen.shows('/shop has other changes (a)')
    expect((await watched()).moves).toMatchObject([{ to, putBackAt: null }])
    await screen.press('W')
    await screen.shows('main moved from aaaaaaaa')
    await screen.press('\r')
    await screen.shows('Not put back')
    await screen.close()
  })

  test('that moves again while it is shown is not accepted as it was shown', async () => {
    await moved()
    const screen = openScreen(fixture, { columns: 100 })
    await screen.press('w')
    await screen.shows('y accept the move')
    await move(to, next)
    await screen.press('y')
    await screen.shows('main has moved again since it was shown')
    expect((await watched()).moves).toMatchObject([{ to: next }])
    await screen.close()
  })
})

test('a change in the main checkout is listed last, shown with its files, and accepted by y', async () => {
  await fixture.addTask('Log in')
  await moved()
  const changes = JSON.stringify([{ path: 'README.md', before: '', after: ' M 1' }])
  const at = fixture.core.clock()
  await fixture.core.store.write((db) =>
    saveWatchedCheckout(db, { files: '{}', looked_at: at, changes, agents: '["implementer-1"]', changed_at: at }),
  )
  const screen = openScreen(fixture, { columns: 100 })
  await screen.press('W', 'G')
  await screen.shows('README.md changed in the main checkout while implementer-1 ran')
  await screen.press('\r')
  await screen.shows('y accept these changes')
  expect(words(screen.text())).toContain('aiswarm cannot tell.')
  expect(screen.text()).toContain('README.md edited')
  await screen.press('y')
  await screen.shows('The changes in the main checkout are accepted.')
  expect((await watched()).checkout).toBeNull()
  await screen.close()
})

test('a task that cannot start shows the reason once', async () => {
  await fixture.addTask('Log in', { metadata: { cli: 'nobody' } })
  const screen = openScreen(fixture, { columns: 80 })
  await screen.press('W')
  await screen.shows('task 1 cannot start')
  // The panes below the inbox say it too.
  const asked = words(screen.text().split('Asked')[1]!.split('╰')[0]!)
  expect(asked.split("agent kind 'nobody' is unknown").length - 1).toBe(1)
  await screen.close()
})
