import { afterEach, beforeEach, expect, test } from 'vitest'
import { insertHost } from '../../../src/db/hosts.ts'
import { person } from '../../../src/domain/agent/actor.ts'
import { registerAgent } from '../../../src/operations/agents/spawn.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { changeHost } from '../../../src/operations/hosts/membership.ts'
import { refused } from '../../support/core.ts'
import { eventually } from '../../support/eventually.ts'
import { openController, type TestController } from '../controller.ts'
import { type Fixture, openFixture } from '../fixture.ts'

// Keys that open something where it is: here, or by SSH on its host.

let fixture: Fixture

beforeEach(async () => {
  fixture = await openFixture()
  await fixture.addWorktree('user-auth')
  await fixture.core.store.write((db) =>
    insertHost(db, { id: 'b', name: 'b', machine: 'b', root: '/b', program: '1', beat_at: null, joined_at: 'x' }),
  )
})

afterEach(() => fixture.close())

/** The console of this host of the board; null: of a checkout that has not joined. */
const consoleOf = (host: string | null): Promise<TestController> =>
  openController({ ...fixture, connection: { ...fixture.connection, core: { ...fixture.core, host } } })

const address = (host: string, ssh: string) => perform(fixture.core, changeHost, { host, ssh }, person)

const moveWorktree = (path: string) =>
  fixture.core.store.write((db) =>
    db.updateTable('worktrees').set({ host_id: 'b', path }).where('name', '=', 'user-auth').execute(),
  )

/** Presses keys, and returns what was opened and said then. */
const pressed = async (console: TestController, ...keys: readonly string[]): Promise<[string[], string]> => {
  const opened = console.shells.length
  console.press(...keys)
  return eventually(() => {
    if (console.shells.length === opened && console.notice() === '') throw new Error('nothing happened')
    return [console.shells.slice(opened), console.notice()]
  })
}

test('a worktree of another host is opened by SSH if the host has an address, and never here', async () => {
  await moveWorktree("/b/it's far")
  const first = await consoleOf('local')
  expect(await pressed(first, '4', 'o')).toEqual([
    [],
    "Worktree user-auth is on host b. 'aiswarm host label b --ssh ADDRESS' lets this key open it there.",
  ])
  await address('b', 'anna@b')
  first.press('j')
  expect((await pressed(first, 'o'))[0]).toEqual([`ssh -t anna@b cd '/b/it'\\''s far' && exec "\${SHELL:-/bin/sh}" -l`])
  expect(await refused(perform(fixture.core, changeHost, { host: 'b', ssh: '-oProxyCommand=x' }, person))).toBe(
    'invalid_input',
  )
})

test('a checkout that has not joined opens worktrees of the first host by SSH, also if none is elsewhere', async () => {
  const laptop = await consoleOf(null)
  expect(await pressed(laptop, '4', 'E')).toEqual([
    [],
    "Worktree user-auth is on host local. 'aiswarm host label local --ssh ADDRESS' lets this key open it there.",
  ])
  await address('local', 'anna@first')
  expect((await pressed(laptop, 'o'))[0]).toEqual([expect.stringMatching(/^ssh -t anna@first cd \S+user-auth && exec/)])
})

test('the conversation of an agent on another host is taken over there by SSH, or nothing is asked and stopped', async () => {
  await perform(fixture.core, registerAgent, { id: 'ada', personaId: 'implementer' }, person)
  await fixture.core.store.write((db) =>
    db.updateTable('agents').set({ host_id: 'b' }).where('id', '=', 'ada').execute(),
  )
  const first = await consoleOf('local')
  expect(await pressed(first, '2', 'O')).toEqual([
    [],
    "Agent ada is on host b. Run 'aiswarm agent take-over ada' there, or let this key do it: 'aiswarm host label b --ssh ADDRESS'.",
  ])
  expect(first.mode()).toBe('list')
  await address('b', 'anna@b')
  first.press('O')
  await eventually(() => expect(first.mode()).toBe('confirm'))
  first.press('y')
  expect(first.shells).toEqual(['ssh -t anna@b cd /b && exec .aiswarm/bin/aiswarm agent take-over ada'])
  // An agent of this host is taken over here.
  const b = await consoleOf('b')
  b.press('2', 'O')
  await eventually(() => expect(b.mode()).toBe('confirm'))
  b.press('y')
  await eventually(() => expect(b.shells).toHaveLength(1))
  expect(b.shells[0]).not.toContain('ssh')
})
