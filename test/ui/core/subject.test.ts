import { afterEach, beforeEach, expect, test } from 'vitest'
import { openApproval } from '../../../src/ui/actions/integration.ts'
import { agentToHear } from '../../../src/ui/actions/say.ts'
import { open } from '../../../src/ui/core/overlays.ts'
import { worktreeAtHand } from '../../../src/ui/core/selection.ts'
import { system } from '../../../src/domain/agent/actor.ts'
import { dispatch } from '../../../src/operations/supervision/dispatch.ts'
import type { ConversationRun } from '../../../src/operations/screens/conversation.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { openController, type TestController } from '../controller.ts'
import { type Fixture, openFixture } from '../fixture.ts'

let fixture: Fixture
let controller: TestController

beforeEach(async () => {
  fixture = await openFixture()
  await fixture.addWorktree('cart')
  await fixture.addWorktree('user-auth')
  await fixture.addTask('Model')
  await fixture.addTask('Login form')
  await perform(fixture.core, dispatch, { maxParallel: 2 }, system())
  controller = await openController(fixture)
})
afterEach(() => fixture.close())

test('a key in a review acts on its worktree, whatever row is selected in the panes', () => {
  controller.press('4')
  const selected = worktreeAtHand(controller.state())!.name
  const other = selected === 'cart' ? 'user-auth' : 'cart'
  controller.change(openApproval(other))
  expect(worktreeAtHand(controller.state())?.name).toBe(other)
})

test('a message from a conversation goes to its last agent, whatever row is selected in the panes', () => {
  controller.press('2')
  const selected = agentToHear(controller.state())!.id
  const other = controller.state().board.agents.find(({ id, process }) => id !== selected && process !== 'none')!.id
  controller.press('c')
  const { talk } = controller.state()
  controller.change((state) => ({ ...state, talk: { ...talk, runs: [{ agentId: other } as ConversationRun] } }))
  expect(agentToHear(controller.state())?.id).toBe(other)
  controller.press('escape')
  controller.change(open({ kind: 'mail', agentId: other, messages: [], top: 0 }))
  expect(agentToHear(controller.state())?.id).toBe(other)
})
