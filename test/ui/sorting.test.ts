import { afterEach, beforeEach, expect, test } from 'vitest'
import { person } from '../../src/domain/actor.ts'
import { later } from '../../src/domain/time.ts'
import { cancelTask } from '../../src/operations/cancel-task.ts'
import { claimTask } from '../../src/operations/claim-task.ts'
import { completeTask } from '../../src/operations/complete-task.ts'
import { registerAgent } from '../../src/operations/register-agent.ts'
import { perform } from '../../src/operations/kernel/perform.ts'
import { attentionItem } from '../../src/operations/kernel/attention.ts'
import { sheetOf } from '../../src/ui/sheets.ts'
import { rowReason } from '../../src/ui/reasons.ts'
import { boardRow } from '../../src/ui/rows.ts'
import { shownTasks, sortNote } from '../../src/ui/sorting.ts'
import { openDesk, type TestDesk } from './desk.ts'
import { type Fixture, openFixture } from './fixture.ts'

let fixture: Fixture
let desk: TestDesk

beforeEach(async () => {
  fixture = await openFixture()
  await fixture.addTask('c', { priority: 1 })
  await fixture.addTask('a', { priority: 9, dependencies: [1] })
  await fixture.addTask('b', { priority: 5 })
  desk = await openDesk(fixture)
})

afterEach(() => fixture.close())

const order = () => shownTasks(desk.state()).map(({ id }) => id)
const sortBy = (column: string): void => {
  for (let n = 0; n < 10 && sortNote(desk.state().view, 'board') !== `▾ ${column}`; n++) desk.press('S')
}

test('rows stand in their fixed order until S sorts them, column after column, and back', () => {
  expect(order()).toEqual([1, 2, 3])
  desk.press('S')
  expect([order(), sortNote(desk.state().view, 'board'), desk.notice()]).toEqual([[2, 3, 1], '▾ priority', 'Sorted by priority.'])
  sortBy('state')
  expect(order()).toEqual([1, 3, 2])
  sortBy('title')
  expect(order()).toEqual([2, 3, 1])
  desk.press('S')
  expect([order(), sortNote(desk.state().view, 'board')]).toEqual([[1, 2, 3], ''])
})

test('the cursor goes through the rows as they are seen, and stays on its row', () => {
  sortBy('priority')
  desk.press('g')
  expect(desk.state().view.task).toBe(2)
  desk.press('j')
  expect(desk.state().view.task).toBe(3)
  desk.press('j', 'j', 'j')
  expect(desk.state().view.task).toBe(1)
  for (let n = 0; n < 4; n++) desk.press('S')
  expect(desk.state().view.task).toBe(1)
})

test('a row that is over says how long it has been so, which is what the time in state is sorted by', async () => {
  await perform(fixture.core, registerAgent, { id: 'ada', personaId: 'implementer' }, person)
  const ada = { kind: 'agent', id: 'ada', role: 'worker', worktree: null } as const
  await perform(fixture.core, claimTask, { taskId: 3 }, ada)
  await perform(fixture.core, completeTask, { taskId: 3 }, ada)
  await perform(fixture.core, cancelTask, { taskId: 1 }, person)
  await desk.reread()
  const inTwoHours = later(fixture.core.clock(), 2 * 3600_000 + 30_000)
  const shown = desk.state().board.tasks.map((task) => boardRow(task, inTwoHours, [], false))
  expect(shown.filter(({ id }) => id !== 2).map(({ state, time }) => `${state} ${time}`)).toEqual(['cancelled 2h00', 'completed 2h00'])
})

test('a stalled task has been so since it last showed progress, also where it is sorted by that', () => {
  const [first, second, third] = desk.state().board.tasks
  const at = (minutes: number) => later(fixture.core.clock(), -minutes * 60_000)
  const worked = { ...first!, status: 'in_progress', startedAt: at(90), claimedAt: at(90) } as const
  const stalled = attentionItem('stalled', at(7), { text: '', evidence: '', like: null }, { taskId: worked.id })
  const { state, time } = boardRow(worked, fixture.core.clock(), [stalled], false)
  expect([state, time.slice(0, 3)]).toEqual(['stalled', '7m0'])
  const failed = { ...third!, status: 'failed', completedAt: at(30) } as const
  desk.change((state) => ({ ...state, board: { ...state.board, tasks: [worked, second!, failed], attention: [stalled] } }))
  sortBy('time in state')
  expect(order()).toEqual([3, 1, 2])
})

test('each list has its order, and a log has none to choose', () => {
  desk.press('2', 'S')
  expect([sortNote(desk.state().view, 'agents'), sortNote(desk.state().view, 'board')]).toEqual(['▾ agent', ''])
  desk.press('3', 'S')
  expect(desk.notice()).toContain('A log stands in the order')
})

test('a row and its detail say why nobody works on it', async () => {
  await perform(fixture.core, cancelTask, { taskId: 1 }, person)
  await desk.reread()
  const task = (id: number) => desk.state().board.tasks.find((one) => one.id === id)!
  desk.change((state) => ({ ...state, board: { ...state.board, session: { ...state.board.session!, pausedAt: state.now } } }))
  expect(rowReason(desk.state(), task(2))).toBe('it was cancelled; for <1m')
  expect(rowReason(desk.state(), task(3))).toBe('the session is paused')
  expect(rowReason(desk.state(), task(1))).toBe('')
  desk.press('j', 'enter')
  const sheet = sheetOf(desk.state())!
  const lines = Array.from({ length: sheet.total }, (_, index) => sheet.line(index).text)
  expect(lines.find((line) => line.startsWith('blocked: waits for task 1; it was cancelled; for '))).toBeDefined()
})
