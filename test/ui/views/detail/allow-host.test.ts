import { afterEach, beforeEach, expect, test } from 'vitest'
import { registerAgent } from '../../../../src/operations/agents/spawn.ts'
import { perform } from '../../../../src/operations/perform/perform.ts'
import { person } from '../../../../src/domain/agent/actor.ts'
import { eventually } from '../../../support/eventually.ts'
import { type Fixture, openFixture } from '../../fixture.ts'
import { openScreen, type Screen } from '../../screen.ts'

let fixture: Fixture
let screen: Screen
const before = 'sandbox:\n  network: allowlist\n  hosts:\n    - a.example # ours\n'
const path = '/shop/.aiswarm/config.yaml'

beforeEach(async () => {
  fixture = await openFixture()
  await perform(fixture.core, registerAgent, { id: 'backend-1', personaId: 'implementer' }, person)
  fixture.world.file = before
})

afterEach(async () => {
  await screen.close()
  fixture.close()
})

const openDetail = async (): Promise<void> => {
  screen = openScreen(fixture)
  await screen.shows('backend-1')
  await screen.press('2', '\r')
}

test('one key allows the host that was refused to the agent, after the lines of the file were shown', async () => {
  fixture.world.refused = ['evil.example']
  await openDetail()
  await screen.shows('Refused hosts')
  await screen.shows('evil.example')
  await screen.press('N')
  await screen.shows(`Adds the host to sandbox.hosts in ${path}:`)
  await screen.shows('+ - evil.example')
  await screen.press('y')
  await screen.shows('Allowed evil.example from the next start on.')
  expect(fixture.world.file).toBe(
    'sandbox:\n  network: allowlist\n  hosts:\n    - a.example # ours\n    - evil.example\n',
  )
})

test('one of several refused hosts is chosen, and esc changes nothing', async () => {
  fixture.world.refused = ['b.example:22', 'c.example']
  await openDetail()
  await screen.shows('c.example')
  await screen.press('N')
  await screen.shows('Allow a refused host')
  await screen.press('\u001b')
  await eventually(() => expect(screen.text()).not.toContain('Allow a refused host'))
  expect(fixture.world.file).toBe(before)
  await screen.press('N')
  await screen.shows('Allow a refused host')
  await screen.press('\r')
  await screen.shows('+ - b.example:22')
  await screen.press('y')
  await screen.shows('Allowed b.example:22 from the next start on.')
})

test('an agent to which no host was refused has nothing to allow', async () => {
  await openDetail()
  await screen.shows('implementer')
  await screen.press('N')
  await screen.shows('No host was refused to this agent.')
})
