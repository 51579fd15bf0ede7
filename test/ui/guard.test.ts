import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { person, system } from '../../src/domain/actor.ts'
import { perform } from '../../src/operations/kernel/perform.ts'
import { readGuard } from '../../src/operations/read-guard.ts'
import { recordGuard } from '../../src/operations/record-guard.ts'
import { openDesk } from './desk.ts'
import { type Fixture, openFixture } from './fixture.ts'
import { openScreen } from './screen.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
})
afterEach(() => fixture.close())

const found = (hash: string) => ({ hash, entries: { 'config user.name': hash } })

/** The configuration as it was when aiswarm began, and as an agent left it. */
const changed = async (...lines: readonly string[]): Promise<void> => {
  await perform(fixture.core, recordGuard, { found: found('before'), lines: [] }, system())
  await perform(fixture.core, recordGuard, { found: found('after'), lines: [...lines] }, system())
}

const guard = () => perform(fixture.core, readGuard, {}, person)

describe('a changed configuration', () => {
  test('waits for a person, is shown whole, and y accepts exactly what was shown', async () => {
    await changed('- config user.name = Ada', '+ config merge.evil.driver = rm -rf \u001b[2J\u202e ~')
    const screen = openScreen(fixture)
    await screen.shows('⚑ 1 wait')
    await screen.press('w')
    await screen.shows('The configuration of the repository has changed')
    expect(screen.text()).toContain('- config user.name = Ada')
    expect(screen.text()).toMatch(/\+ config merge\.evil\.driver = rm -rf .*\[2J.*~/)
    await screen.shows('y accepts exactly these lines')
    await screen.press('\r', 'n', ' ')
    expect((await guard())!.changed).not.toBeNull()
    await screen.press('y')
    await screen.shows('The configuration is accepted')
    expect(await guard()).toMatchObject({ hash: 'after', acceptedBy: 'human', changed: null })
    await screen.lacks('⚑ 1 wait')
    await screen.close()
  })

  test('of aiswarm itself stands in the inbox with what differs, and says what would run', async () => {
    await changed('- .aiswarm/config.yaml: notify.command = notify-send {text}', '+ .aiswarm/config.yaml: notify.command = ./evil.sh')
    const screen = openScreen(fixture, { columns: 120 })
    await screen.shows('⚑ 1 wait')
    await screen.press('W')
    await screen.shows("aiswarm's own configuration has changed while agents ran")
    expect(screen.text().replace(/[\s│]+/g, ' ')).toContain('+ .aiswarm/config.yaml: notify.command = ./evil.sh')
    await screen.press('\r')
    await screen.shows('y accepts exactly these lines')
    const said = screen.text().replace(/[\s│]+/g, ' ')
    expect(said).toContain('aiswarm would run the commands that are named here')
    expect(said).not.toContain('git would run')
    await screen.press('y')
    await screen.shows('The configuration is accepted')
    expect(await guard()).toMatchObject({ acceptedBy: 'human', changed: null })
    await screen.close()
  })

  test('is explained whole on a narrow screen', async () => {
    await changed('+ config a = 1')
    const screen = openScreen(fixture, { columns: 60, rows: 15 })
    await screen.shows('⚑ 1 wait')
    await screen.press('!')
    await screen.shows('+ config a = 1')
    const said = screen.text().replace(/[\s│]+/g, ' ')
    expect(said).toContain('Nothing is integrated until you accept it, or it is put back.')
    expect(said).toContain('git would run the programs that are named here.')
    await screen.close()
  })

  test('that has changed again is not accepted unseen', async () => {
    await changed('+ config a = 1')
    const screen = openScreen(fixture)
    await screen.shows('⚑ 1 wait')
    await screen.press('!')
    await screen.shows('+ config a = 1')
    await perform(fixture.core, recordGuard, { found: found('later'), lines: ['+ config a = 2'] }, system())
    await screen.press('y')
    await screen.shows('has changed again since it was shown')
    expect((await guard())!.changed!.hash).toBe('later')
    await screen.close()
  })

  test('has no key where there is none', async () => {
    const desk = await openDesk(fixture)
    desk.press('!')
    expect([desk.mode(), desk.notice()]).toEqual(['list', "The repository's configuration is the one that you trust."])
  })
})

describe('the git commands', () => {
  test('are shown as a person would have typed them, at the latest; again reads on', async () => {
    await fixture.addWorktree('auth')
    const command = (argv: readonly string[], more = {}) => ({ at: '2026-01-30T14:22:30.000Z', folder: '/shop', argv, exitCode: 0, ms: 3, said: '', ...more })
    fixture.world.commands.push(
      ...Array.from({ length: 80 }, (_, n) => command(['status', `--number=${n}`])),
      command(['commit', '-m', "it's \u001b[31mred"], { exitCode: 128, said: 'fatal: no\n' }),
    )
    const screen = openScreen(fixture)
    await screen.press('@')
    await screen.shows('git commands (81)')
    expect(screen.text()).toContain(`exit 128 git commit -m 'it'\\''s`)
    expect(screen.text()).toContain('fatal: no')
    expect(screen.text()).toContain('git status --number=79')
    await screen.press('k')
    await screen.lacks('fatal: no')
    fixture.world.commands.push(command(['log']))
    await screen.press('@')
    await screen.shows('git commands (82)')
    await screen.shows('git log')
    await screen.press('\u001b')
    await screen.lacks('git commands')
    await screen.close()
  })
})

describe('z', () => {
  test('says so where nothing was integrated', async () => {
    const screen = openScreen(fixture)
    await screen.press('z')
    await screen.shows('Nothing was integrated yet; there is nothing to undo.')
    await screen.close()
  })
})
