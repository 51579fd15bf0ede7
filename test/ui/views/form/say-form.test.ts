import { markedAgents, whyNotMark } from '../../../../src/ui/panes/agents.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { person, system } from '../../../../src/domain/agent/actor.ts'
import type { Core } from '../../../../src/operations/perform/core.ts'
import { perform } from '../../../../src/operations/perform/perform.ts'
import { dispatch } from '../../../../src/operations/supervision/dispatch.ts'
import { recordLaunch } from '../../../../src/operations/runs/processes.ts'
import { listMessages } from '../../../../src/operations/messages/inbox.ts'
import type { Form } from '../../../../src/ui/core/form.ts'
import { eventually } from '../../../support/eventually.ts'
import { openController, type TestController } from '../../controller.ts'
import { type Fixture, openFixture } from '../../fixture.ts'

let fixture: Fixture
let controller: TestController

/** Two agents that work, with templates of a person. */
beforeEach(async () => {
  fixture = await openFixture()
  const { core } = fixture
  const templates = { tests: 'Run the tests before you complete the task.' }
  const settings = { ...core.settings, console: { ...core.settings.console, templates } }
  Object.assign(core, { settings, speech: () => 'inject' } satisfies Partial<Core>)
  await fixture.addTask('Model')
  await fixture.addTask('Login form')
  const { started } = await perform(core, dispatch, { maxParallel: 2 }, system())
  for (const [n, { agentId }] of started.entries())
    await perform(
      core,
      recordLaunch,
      { agentId, run: 1, pid: n + 1, startedAt: 's', bootId: 'b', startsTask: true },
      system(),
    )
  controller = await openController(fixture)
  controller.press('2', 'M')
  expect(form().kind).toBe('say')
})
afterEach(() => fixture.close())

const form = (): Form => {
  const { overlay } = controller.state().view
  if (overlay?.kind !== 'form') throw new Error(`a form was expected, but ${overlay?.kind ?? 'nothing'} is in front`)
  return overlay.form
}
const goTo = (key: string): void => {
  for (let n = 0; n < 10 && form().fields[form().at]!.key !== key; n++) controller.press('tab')
  expect(form().fields[form().at]!.key).toBe(key)
}
const texts = async (agentId: string): Promise<readonly string[]> =>
  (await perform(fixture.core, listMessages, { agentId }, person)).map(({ text }) => text)

test('a message goes to the agent of the row', async () => {
  controller.press(...'Stop', 'enter')
  await eventually(async () => expect(await texts('implementer-1')).toEqual(['Stop']))
  expect(await texts('implementer-2')).toEqual([])
})

test('a message goes to all agents that work, with the template before the words', async () => {
  controller.press(...'Soon')
  goTo('to')
  controller.press('right')
  expect(form().fields[form().at]!.value).toBe('all 2 agents')
  goTo('template')
  controller.press('right', 'enter')
  const said = ['Run the tests before you complete the task.\n\nSoon']
  await eventually(async () => expect(await texts('implementer-2')).toEqual(said))
  expect(await texts('implementer-1')).toEqual(said)
})

test('a template alone is a message', async () => {
  goTo('template')
  controller.press('right', 'enter')
  await eventually(async () =>
    expect(await texts('implementer-1')).toEqual(['Run the tests before you complete the task.']),
  )
})

test('a message goes to the marked agents, which a second key unmarks', async () => {
  controller.press('escape', ' ', 'j', ' ', 'j', 'M')
  goTo('to')
  expect(form().fields[form().at]!.value).toBe('2 marked agents')
  controller.press('escape', ' ', 'k', 'M')
  goTo('to')
  expect(form().fields[form().at]!.value).toBe('1 marked agent')
  goTo('text')
  controller.press(...'Hello', 'enter')
  const [one, two] = ['implementer-1', 'implementer-2']
  const marked = controller.state().view.marked
  expect(marked).toHaveLength(1)
  await eventually(async () => expect(await texts(marked[0]!)).toEqual(['Hello']))
  expect(await texts(marked[0] === one ? two : one)).toEqual([])
})

test('esc on the panes removes the marks', () => {
  controller.press('escape', ' ', 'j', ' ')
  expect(markedAgents(controller.state())).toHaveLength(2)
  controller.press('escape')
  expect(markedAgents(controller.state())).toEqual([])
})

test('an agent that has ended is marked no more, and cannot be', () => {
  controller.press('escape', ' ')
  const state = controller.state()
  const [marked] = markedAgents(state)
  const agents = state.board.agents.map((agent) =>
    agent.id === marked ? { ...agent, status: 'terminated' as const } : agent,
  )
  const later = { ...state, board: { ...state.board, agents } }
  expect(markedAgents(later)).toEqual([])
  expect(whyNotMark(state)).toBeUndefined()
  expect(whyNotMark(later)).toMatch(/^No agent to mark/)
})
