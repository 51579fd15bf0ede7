import { afterEach, beforeEach, expect, test } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { later } from '../../../src/domain/words/time.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { claimTask, completeTask } from '../../../src/operations/tasks/claims.ts'
import { registerAgent } from '../../../src/operations/agents/spawn.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { attentionItem } from '../../../src/operations/screens/attention.ts'
import { sheetOf } from '../../../src/ui/core/overlays.ts'
import { boardRow, rowReason } from '../../../src/ui/rows/tasks.ts'
import { shownTasks, sortNote } from '../../../src/ui/panes/sorting.ts'
import { openController, type TestController } from '../controller.ts'
import { type Fixture, openFixture } from '../fixture.ts'

let fixture: Fixture
let controller: TestController

beforeEach(async () => {
  fixture = await openFixture()
  await fixture.addTask('c', { priority: 1 })
  await fixture.addTask('a', { priority: 9, dependencies: [1] })
  await fixture.addTask('b', { priority: 5 })
  controller = await openController(fixture)
})

afterEach(() => fixture.close())

const order = () => shownTasks(controller.state()).map(({ id }) => id)
const sortBy = (column: string): void => {
  for (let n = 0; n < 10 && sortNote(controller.state().view, 'board') !== `▾ ${column}`; n++) controller.press('S')
}

test('rows have a fixed order until S sorts them by one column after the other, and back', () => {
  expect(order()).toEqual([1, 2, 3])
  controller.press('S')
  expect([order(), sortNote(controller.state().view, 'board'), controller.notice()]).toEqual([
    [2, 3, 1],
    '▾ priority',
    'Sorted by priority.',
  ])
  sortBy('state')
  expect(order()).toEqual([1, 3, 2])
  sortBy('title')
  expect(order()).toEqual([2, 3, 1])
  controller.press('S')
  expect([order(), sortNote(controller.state().view, 'board')]).toEqual([[1, 2, 3], ''])
})

test('the cursor moves through the rows in their visible order, and stays on its row', () => {
  sortBy('priority')
  controller.press('g')
  expect(controller.state().view.task).toBe(2)
  controller.press('j')
  expect(controller.state().view.task).toBe(3)
  controller.press('j', 'j', 'j')
  expect(controller.state().view.task).toBe(1)
  for (let n = 0; n < 4; n++) controller.press('S')
  expect(controller.state().view.task).toBe(1)
})

test('an ended row shows the age of its state, by which the time in state is sorted', async () => {
  await perform(fixture.core, registerAgent, { id: 'ada', personaId: 'implementer' }, person)
  const ada = { kind: 'agent', id: 'ada', role: 'worker', worktree: null } as const
  await perform(fixture.core, claimTask, { taskId: 3 }, ada)
  await perform(fixture.core, completeTask, { taskId: 3 }, ada)
  await perform(fixture.core, cancelTask, { taskId: 1 }, person)
  await controller.reread()
  const inTwoHours = later(fixture.core.clock(), 2 * 3600_000 + 30_000)
  const shown = controller.state().board.tasks.map((task) => boardRow(task, inTwoHours, [], false))
  expect(shown.filter(({ id }) => id !== 2).map(({ state, time }) => `${state} ${time}`)).toEqual([
    'cancelled 2h00',
    'completed 2h00',
  ])
})

test('a stalled task counts its time from its last progress, in the sort order too', () => {
  const [first, second, third] = controller.state().board.tasks
  const at = (minutes: number) => later(fixture.core.clock(), -minutes * 60_000)
  const worked = { ...first!, status: 'in_progress', startedAt: at(90), claimedAt: at(90) } as const
  const stalled = attentionItem('stalled', at(7), { text: '', evidence: '', like: null }, { taskId: worked.id })
  const { state, time } = boardRow(worked, fixture.core.clock(), [stalled], false)
  expect([state, time.slice(0, 3)]).toEqual(['stalled', '7m0'])
  const failed = { ...third!, status: 'failed', completedAt: at(30) } as const
  controller.change((state) => ({
    ...state,
    board: { ...state.board, tasks: [worked, second!, failed], attention: [stalled] },
  }))
  sortBy('time in state')
  expect(order()).toEqual([3, 1, 2])
})

test('each list has its sort orders, and the log has none', () => {
  controller.press('2', 'S')
  expect([sortNote(controller.state().view, 'agents'), sortNote(controller.state().view, 'board')]).toEqual([
    '▾ agent',
    '',
  ])
  controller.press('3', 'S')
  expect(controller.notice()).toContain('A log is not sorted.')
})

test('a row and its detail show why no agent works on it', async () => {
  await perform(fixture.core, cancelTask, { taskId: 1 }, person)
  await controller.reread()
  const task = (id: number) => controller.state().board.tasks.find((one) => one.id === id)!
  controller.change((state) => ({
    ...state,
    board: { ...state.board, session: { ...state.board.session!, pausedAt: state.now } },
  }))
  expect(rowReason(controller.state(), task(2))).toBe('it was cancelled; for <1m')
  expect(rowReason(controller.state(), task(3))).toBe('the session is paused')
  expect(rowReason(controller.state(), task(1))).toBe('')
  controller.press('j', 'enter')
  const sheet = sheetOf(controller.state())!
  const lines = Array.from({ length: sheet.total }, (_, index) => sheet.line(index).text)
  expect(lines.find((line) => line.startsWith('blocked by task 1; it was cancelled (for '))).toBeDefined()
})
