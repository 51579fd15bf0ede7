import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { insertHost } from '../../../../src/db/hosts.ts'
import { person, system } from '../../../../src/domain/agent/actor.ts'
import { recordGuard } from '../../../../src/operations/integration/configuration-drift.ts'
import { readGuard } from '../../../../src/operations/integration/configuration.ts'
import { perform } from '../../../../src/operations/perform/perform.ts'
import { openController } from '../../controller.ts'
import { type Fixture, openFixture } from '../../fixture.ts'
import { openScreen } from '../../screen.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
})
afterEach(() => fixture.close())

const found = (hash: string) => ({ hash, entries: { 'config user.name': hash } })

/** The configuration when aiswarm started, and after an agent's change. */
const changed = async (...lines: readonly string[]): Promise<void> => {
  await perform(fixture.core, recordGuard, { found: found('before'), lines: [] }, system())
  await perform(fixture.core, recordGuard, { found: found('after'), lines: [...lines] }, system())
}

const guard = () => perform(fixture.core, readGuard, {}, person)

describe('a changed configuration', () => {
  test('waits for a person, is shown completely, and y accepts exactly what was shown', async () => {
    await changed('- config user.name = Ada', '+ config merge.evil.driver = rm -rf \u001b[2J\u202e ~')
    const screen = openScreen(fixture)
    await screen.shows('⚑ 1 need')
    await screen.press('w')
    await screen.shows('The configuration of the repository has changed')
    expect(screen.text()).toContain('- config user.name = Ada')
    expect(screen.text()).toMatch(/\+ config merge\.evil\.driver = rm -rf .*\[2J.*~/)
    await screen.shows('y accept exactly these lines')
    await screen.press('\r', 'n', ' ')
    expect((await guard())!.changed).not.toBeNull()
    await screen.press('y')
    await screen.shows('The configuration is accepted')
    expect(await guard()).toMatchObject({ hash: 'after', acceptedBy: 'human', changed: null })
    await screen.lacks('⚑ 1 need')
    await screen.close()
  })

  test('in the clone of another host names the host, and y accepts it there only', async () => {
    await fixture.core.store.write((db) =>
      insertHost(db, {
        id: 'b',
        name: 'build-2',
        machine: 'b',
        root: '/b',
        program: '1',
        beat_at: null,
        joined_at: 'x',
      }),
    )
    const change = { found: found('after'), lines: ['+ config filter.evil.smudge = rm -rf ~'], host: 'b' }
    await perform(fixture.core, recordGuard, { found: found('before'), lines: [], host: 'b' }, system())
    await perform(fixture.core, recordGuard, change, system())
    await changed('+ config merge.evil.driver = rm -rf /')
    const core = { ...fixture.core, host: 'local' }
    const screen = openScreen({ ...fixture, core, connection: { ...fixture.connection, core } }, { columns: 120 })
    await screen.shows('⚑ 2 need')
    await screen.press('w')
    await screen.shows('The configuration of the clone on host build-2 has changed')
    expect(screen.text()).toContain('+ config filter.evil.smudge = rm -rf ~')
    await screen.press('y')
    await screen.shows('The configuration of the clone on host build-2 is accepted')
    expect(await perform(fixture.core, readGuard, { host: 'b' }, person)).toMatchObject({
      hash: 'after',
      changed: null,
    })
    expect((await guard())!.changed).not.toBeNull()
    await screen.shows('⚑ 1 need')
    await screen.press('w')
    await screen.shows('The configuration of the repository has changed')
    await screen.close()
  })

  test('of aiswarm itself is in the inbox with its difference, and says what would run', async () => {
    await changed(
      '- .aiswarm/config.yaml: notify.command = notify-send {text}',
      '+ .aiswarm/config.yaml: notify.command = ./evil.sh',
    )
    const screen = openScreen(fixture, { columns: 120 })
    await screen.shows('⚑ 1 need')
    await screen.press('W')
    await screen.shows("aiswarm's own configuration changed while agents ran")
    expect(screen.text().replace(/[\s│]+/g, ' ')).toContain('+ .aiswarm/config.yaml: notify.command = ./evil.sh')
    await screen.press('\r')
    await screen.shows('y accept exactly these lines')
    const said = screen.text().replace(/[\s│]+/g, ' ')
    expect(said).toContain('aiswarm would run the commands and apply the rules')
    expect(said).not.toContain('git would run')
    await screen.press('y')
    await screen.shows('The configuration is accepted')
    expect(await guard()).toMatchObject({ acceptedBy: 'human', changed: null })
    await screen.close()
  })

  test('is explained completely on a narrow screen', async () => {
    await changed('+ config a = 1')
    const screen = openScreen(fixture, { columns: 60, rows: 15 })
    await screen.shows('⚑ 1 need')
    await screen.press('!')
    await screen.shows('+ config a = 1')
    const said = screen.text().replace(/[\s│]+/g, ' ')
    expect(said).toContain('Integrations wait until you accept the changes or revert them.')
    expect(said).toContain('git would run the programs in these lines.')
    await screen.close()
  })

  test('that changes again is not accepted unseen', async () => {
    await changed('+ config a = 1')
    const screen = openScreen(fixture)
    await screen.shows('⚑ 1 need')
    await screen.press('!')
    await screen.shows('+ config a = 1')
    await perform(fixture.core, recordGuard, { found: found('later'), lines: ['+ config a = 2'] }, system())
    await screen.press('y')
    await screen.shows('has changed again since it was shown')
    expect((await guard())!.changed!.hash).toBe('later')
    await screen.close()
  })

  test('must exist for its key to open a view', async () => {
    const controller = await openController(fixture)
    controller.press('!')
    expect([controller.mode(), controller.notice()]).toEqual(['list', 'The configuration has no unaccepted changes.'])
  })
})

describe('the command log', () => {
  test('shows the git commands as a person would type them, starts at the last one, and is read again by its key', async () => {
    await fixture.addWorktree('auth')
    const command = (argv: readonly string[], more = {}) => ({
      at: '2026-01-30T14:22:30.000Z',
      folder: '/shop',
      argv,
      exitCode: 0,
      ms: 3,
      said: '',
      ...more,
    })
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

describe('the undo key z', () => {
  test('says so if nothing was integrated', async () => {
    const screen = openScreen(fixture)
    await screen.press('z')
    await screen.shows('Nothing was integrated yet; there is nothing to undo.')
    await screen.close()
  })
})
