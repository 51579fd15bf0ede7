import { afterEach, beforeEach, test } from 'vitest'
import { type Fixture, openFixture } from '../../fixture.ts'
import { openScreen, type Screen } from '../../screen.ts'

let fixture: Fixture
let screen: Screen

beforeEach(async () => {
  fixture = await openFixture()
})

afterEach(async () => {
  await screen.close()
  fixture.close()
})

test('the form that starts an agent says why it would not be confined, for the kind that is chosen', async () => {
  fixture.world.whyUnconfined = async ({ kind }) =>
    kind === 'codex' ? 'no sandbox: its real program was tried inside with too few cases' : null
  screen = openScreen(fixture)
  await screen.shows('No agents')
  await screen.press('2', 's')
  await screen.shows('Spawn an agent that takes tasks')
  await screen.press('\t', '\t', '\u001b[C', '\u001b[C')
  await screen.shows('no sandbox: its real program was tried inside with too few')
  await screen.press('\u001b[D')
  await screen.lacks('no sandbox:')
})
