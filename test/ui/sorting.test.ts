import { afterEach, beforeEach, expect, test } from 'vitest'
import { person } from '../../src/domain/actor.ts'
import { cancelTask } from '../../src/operations/cancel-task.ts'
import { perform } from '../../src/operations/kernel/perform.ts'
import { sheetOf } from '../../src/ui/sheets.ts'
import { rowReason } from '../../src/ui/reasons.ts'
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
