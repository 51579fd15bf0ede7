import { afterEach, beforeEach, expect, test } from 'vitest'
import { setTimeout as pause } from 'node:timers/promises'
import { person } from '../../../../src/domain/agent/actor.ts'
import { addConversation } from '../../../../src/operations/memory/conversations.ts'
import { addExecution } from '../../../../src/operations/memory/executions.ts'
import { claimTask, failTask, reportTaskProgress } from '../../../../src/operations/tasks/claims.ts'
import { perform } from '../../../../src/operations/perform/perform.ts'
import { registerAgent } from '../../../../src/operations/agents/spawn.ts'
import { type Fixture, openFixture } from '../../fixture.ts'
import { brokenOf, dev, entries, graph, memories } from '../../memories.ts'
import { openScreen, type Screen } from '../../screen.ts'

let fixture: Fixture
let screen: Screen
/** The number of checks of the memory files. */
let looks: number
/** The number of times that cached memories were released. */
let forgotten: number

beforeEach(async () => {
  fixture = await openFixture()
  looks = 0
  forgotten = 0
  const { world } = fixture
  Object.assign(world, { memories: { read: async () => (looks++, world.files), forget: () => forgotten++ } })
})

afterEach(async () => {
  await screen.close()
  fixture.close()
})

const says = (messageId: string, userInput: string, userId = 'default_user') =>
  perform(
    fixture.core,
    addConversation,
    { userId, messageId, userInput, agentResponse: `answer to ${userInput}` },
    person,
  )

const does = (messageId: string, summary: string) =>
  perform(
    fixture.core,
    addExecution,
    {
      userId: 'default_user',
      messageId,
      summary,
      toolsUsed: ['Read', 'Read', 'Edit'],
      errors: [{ error_type: 'Timeout', error_message: 'after 30 s', tool: 'Bash' }],
      observations: 'the network was slow',
      success: true,
      durationMs: 65_000,
    },
    person,
  )

/** An agent that works on a task of its own; returns the task's number. */
const works = async (title: string): Promise<number> => {
  const taskId = await fixture.addTask(title)
  await perform(fixture.core, registerAgent, { id: 'backend-1', personaId: 'implementer' }, person)
  await perform(fixture.core, claimTask, { taskId, agentId: 'backend-1' }, person)
  return taskId
}

const open = async (size: { columns?: number; rows?: number } = {}): Promise<void> => {
  screen = openScreen(fixture, size)
  await screen.shows('No tasks yet; n creates one.')
}

test('the memories are not read while the pane is closed, nor after it is closed again', async () => {
  await open()
  await pause(300)
  expect(looks).toBe(0)
  await screen.press('m')
  await screen.shows('No agent has a working memory yet.')
  expect(looks).toBeGreaterThan(0)
  await screen.press('\u001b')
  await screen.lacks('[Memory]')
  expect(forgotten).toBe(1)
  const before = looks
  await pause(2500)
  expect(looks).toBe(before)
})

test('a new note of an agent appears while the pane is open', async () => {
  await open()
  await screen.press('m')
  await screen.shows('No agent has a working memory yet.')
  fixture.world.files = memories({ working: [dev], decisions: graph, timeline: entries('one') })
  await screen.shows('⚑ blocker')
  await screen.press('2')
  await screen.shows('✓ ADR-005  accepted')
  fixture.world.files = memories({ working: [brokenOf('dev', '.ai/working_memory_dev.json:3: a key was expected.')] })
  await screen.shows('No decisions yet.')
  await screen.press('1')
  await screen.shows('✗ .ai/working_memory_dev.json:3: a key was expected.')
})

test('a conversation opens with its execution, and new ones appear', async () => {
  await says('m-1', 'Log in')
  await says('m-2', 'of another', 'bob')
  await does('m-1', 'wrote the form')
  await open()
  await screen.press('m', '4')
  await screen.shows(/▸✓ \d\d-\d\d \d\d:\d\d {2}m-1 +Log in/)
  expect(screen.text()).not.toContain('of another')
  await screen.press('\r')
  for (const words of [
    '[Conversation and execution]',
    'Log in',
    'answer to Log in',
    'Execution ✓ succeeded',
    'duration      1m05',
    'Tools (3)',
    'Read ×2, Edit',
    'Bash: Timeout: after 30 s',
    'the network was slow',
  ])
    await screen.shows(words)
  await screen.press('\u001b')
  await says('m-3', 'Pay')
  await screen.shows(/m-3 +Pay/)
  await screen.shows(/▸✓ \d\d-\d\d \d\d:\d\d {2}m-1 +Log in/)
})

test('a later execution appears in its open conversation', async () => {
  await says('m-1', 'Log in')
  await open()
  await screen.press('m', '4')
  await screen.shows(/m-1 +Log in/)
  await screen.press('\r')
  await screen.shows('No execution.')
  await does('m-1', 'wrote the form')
  await screen.shows('wrote the form')
})

test('the trail of a task grows with its attempts', async () => {
  const taskId = await works('Log in')
  screen = openScreen(fixture)
  await screen.shows(/▸ +1/)
  await screen.press('t')
  await screen.shows('[Trail of task 1: Log in]')
  await screen.shows('● Attempt 1  backend-1  in progress')
  await screen.shows('The conversation is stored when the attempt ends.')
  await perform(fixture.core, failTask, { taskId, agentId: 'backend-1', errorMessage: 'the network is gone' }, person)
  await screen.shows(/✗ Attempt 1 {2}backend-1 {2}failed after/)
  await screen.shows('error: the network is gone')
  await screen.press('\u001b')
  await screen.shows('[1 Board]')
})

test('a search finds words in every memory and in the task logs, and opens its results', async () => {
  fixture.world.files = memories({ working: [dev], decisions: graph, timeline: entries('The API is slow', 'other') })
  await says('m-1', 'Why does the API answer slowly')
  await does('m-2', 'made the API slow on purpose')
  const taskId = await works('Log in')
  await perform(
    fixture.core,
    reportTaskProgress,
    { taskId, agentId: 'backend-1', progressNote: 'API calls are SLOW today' },
    person,
  )
  screen = openScreen(fixture)
  await screen.shows(/▸ +1/)
  await screen.press('m', '/', 'slow api')
  await screen.shows('/ slow api')
  await screen.press('\r')
  await screen.shows('/slow api  1 in Timeline, 1 in Executions, 1 in Task logs')
  await screen.shows(/▸Timeline +01-30 \d\d:00 {2}claude +The API is slow/)
  await screen.shows(/Executions .* m-2 +made the API slow on purpose/)
  await screen.shows(/Task logs .* backend-1 1 +API calls are SLOW today/)
  await screen.press('G', '\r')
  await screen.shows('[Note on task 1]')
  await screen.press('\u001b', 'k', '\r')
  await screen.shows('No conversation is stored.')
  await screen.press('\u001b', 'g', '\r')
  await screen.shows('[The API is slow]')
  await screen.press('\u001b', '/', '\u0015', 'It needs SQLite', '\r')
  await screen.shows(/▸Working .* dev +Use SQLite It needs no server/)
  await screen.press('/', '\u0015', 'ADR-005 because', '\r')
  await screen.shows(/▸Decisions +ADR-005/)
})

test('quotes, operators and symbols in a search are plain text', async () => {
  await says('m-1', 'Log in "now" AND (then) NEAR* -x^2')
  await open()
  await screen.press('m')
  for (const words of ['"now" AND', 'NEAR* (then)', "in' OR", '*?[', '%_', 'AND OR NOT']) {
    await screen.press('/', '\u0015', words, '\r')
    await screen.shows(`/${words}`)
    await screen.shows(words.startsWith('"') || words.startsWith('NEAR') ? '1 in Conversations' : 'No match.')
  }
})

test('the texts of agents reach the terminal without control sequences', async () => {
  const evil = 'fine \u001b]52;c;aGk=\u0007\u001b[2J\u009b2J\u202e end'
  fixture.world.files = memories({
    working: [
      {
        ...dev,
        agent: 'dev',
        notes: { ...dev.notes!, observations: [{ timestamp: evil, content: evil, context: { storyId: evil } }] },
      },
    ],
    timeline: { entries: [{ at: evil, agent: evil, title: evil, notes: [evil], line: 1 }], problems: [evil] },
    decisions: {
      decisions: [
        {
          ...graph.decisions[1]!,
          title: evil,
          text: evil,
          edges: [{ key: evil, targets: [{ id: 'ADR-004', note: evil }] }],
        },
      ],
      problems: [],
    },
  })
  await says(evil, evil)
  await open()
  await screen.press('m')
  await screen.shows('fine')
  for (const key of ['j', 'j', 'j', 'j', 'j', '\r', '\u001b', '2', '\r', '\u001b', '3', 'j', '\r', '\u001b', '4'])
    await screen.press(key)
  await screen.shows('[4 Conversations]')
  await screen.shows('fine')
  await screen.press('\r')
  await screen.shows('[Conversation and execution]')
  await screen.shows('Answer')
  await screen.press('\u001b', '/', 'fine', '\r')
  await screen.shows('1 in Working')
  for (const sequence of ['\u001b]52', '\u009b2J', '\u202e']) expect(screen.written.join('')).not.toContain(sequence)
})

test.each([
  [200, 50],
  [80, 24],
  [60, 15],
])('the memory pane fits a screen of %i×%i', async (columns, rows) => {
  fixture.world.files = memories({
    working: [dev],
    decisions: graph,
    timeline: entries(...Array.from({ length: 60 }, (_, n) => `entry ${n} ${'long '.repeat(50)}`)),
  })
  await says('m-1', 'Log in '.repeat(100))
  await open({ columns, rows })
  await screen.press('m')
  await screen.shows('[1 Working]')
  await screen.press('3', 'G')
  await screen.shows(/▸01-30 .* entry 0/)
  for (const [key, words] of [
    ['2', '[2 Decisions]'],
    ['4', '[4 Conversations]'],
  ] as const) {
    await screen.press(key)
    await screen.shows(words)
  }
  await screen.shows(/▸ +\d\d-\d\d/)
  await screen.press('\r')
  await screen.shows('[Conversation and execution]')
  const lines = screen.text().split('\n')
  expect(lines.at(-2)).toMatch(/esc back$/)
  expect(lines.every((line) => line.length <= columns)).toBe(true)
})
