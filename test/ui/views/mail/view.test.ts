import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Actor, person } from '../../../../src/domain/agent/actor.ts'
import { registerAgent } from '../../../../src/operations/agents/spawn.ts'
import { listMail, listMessages } from '../../../../src/operations/messages/inbox.ts'
import { sendMessage } from '../../../../src/operations/messages/mail.ts'
import { perform } from '../../../../src/operations/perform/perform.ts'
import { eventually } from '../../../support/eventually.ts'
import { type Fixture, openFixture } from '../../fixture.ts'
import { openScreen } from '../../screen.ts'

let fixture: Fixture
beforeEach(async () => {
  fixture = await openFixture()
  await perform(fixture.core, registerAgent, { id: 'backend-1', personaId: 'implementer' }, person)
})
afterEach(() => fixture.close())

const backend: Actor = { kind: 'agent', id: 'backend-1', role: 'worker', worktree: null }
const send = (text: string) => perform(fixture.core, sendMessage, { to: 'person', text }, backend)
const unread = async () => (await perform(fixture.core, listMail, {}, person)).map(({ id }) => id)

describe('a message of an agent to the person', () => {
  test('is in the inbox, is shown completely, and y marks as read what was shown', async () => {
    await send('The tests need a key.\n\nIt is called API_KEY.')
    const screen = openScreen(fixture, { columns: 80, rows: 24 })
    await screen.shows('1 needs you')
    await screen.press('W')
    await screen.shows('backend-1 writes: The tests need a key.')
    await screen.press('\r')
    await screen.shows('It is called API_KEY.')
    await send('Later.')
    await screen.press('y')
    await eventually(async () => expect(await unread()).toEqual([2]))
    await screen.shows('backend-1 writes: Later.')
    await screen.close()
  })

  test('is replied to with the key of a message', async () => {
    await send('Which one?')
    const screen = openScreen(fixture, { columns: 80, rows: 24 })
    await screen.press('W')
    await screen.shows('Which one?')
    await screen.press('\r')
    await screen.shows('y mark as read   M reply')
    await screen.press('M')
    await screen.shows('Say to backend-1')
    await screen.press('The first.', '\r')
    await eventually(async () =>
      expect((await perform(fixture.core, listMessages, { agentId: 'backend-1' }, person)).at(-1)).toMatchObject({
        author: 'human',
        text: 'The first.',
      }),
    )
    await screen.close()
  })
})
