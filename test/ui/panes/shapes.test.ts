import { afterEach, expect, test } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { type Fixture, openFixture } from '../fixture.ts'
import { openScreen, type Screen } from '../screen.ts'

const right = '\u001b[C'
const left = '\u001b[D'

let fixture: Fixture
let screen: Screen | undefined

afterEach(async () => {
  await screen?.close()
  screen = undefined
  fixture.close()
})

const openShapes = async (size: { columns: number; rows: number }): Promise<Screen> => {
  fixture = await openFixture()
  await fixture.addTask('Model')
  await fixture.addTask('API', { dependencies: [1] })
  await fixture.addTask('Screen', { dependencies: [2] })
  await fixture.addTask('Poster')
  await fixture.addTask('Frame', { dependencies: [4] })
  await perform(fixture.core, cancelTask, { taskId: 4 }, person)
  screen = openScreen(fixture, size)
  await screen.shows('1 Board')
  return screen
}

test('b shows the board as columns, as a tree and as a list again, with the same task selected', async () => {
  const screen = await openShapes({ columns: 120, rows: 30 })
  await screen.press('j', 'j')
  await screen.shows(/▸ +3 .*Screen/)
  await screen.press('b')
  await screen.shows(/○ pending 4.*● working 0.*✗ failed 0/)
  await screen.shows(/▸ ◌ 3 Screen/)
  await screen.press('b')
  await screen.shows(/▸ ◆ {3}└─3 ◌ blocked {2}Screen/)
  await screen.shows('◆ 3 tasks in a row')
  await screen.press('b')
  await screen.shows(/▸ +3 .*Screen/)
})

test('the arrow keys move between columns, across empty ones, and keep to the screen', async () => {
  const screen = await openShapes({ columns: 60, rows: 20 })
  await screen.press('b')
  await screen.shows(/▸ ○ 1 Model/)
  // Two of five columns fit; the last one is reachable anyway.
  expect(screen.text()).not.toContain('cancelled')
  await screen.press(right)
  await screen.shows(/‹ ✓ done 0 .*– cancelled 1/)
  await screen.shows(/▸ – 4 Poster/)
  await screen.press(right)
  await screen.shows(/▸ – 4 Poster/)
  await screen.press(left)
  await screen.shows(/▸ ○ 1 Model/)
  await screen.press('G')
  await screen.shows(/▸ ◌ 5 Frame/)
  await screen.press('k', 'k')
  await screen.shows(/▸ ◌ 2 API/)
  await screen.press('g')
  await screen.shows(/▸ ○ 1 Model/)
})

test('the selection stays and can continue if every further column is empty', async () => {
  fixture = await openFixture()
  await fixture.addTask('Model')
  await fixture.addTask('API', { dependencies: [1] })
  screen = openScreen(fixture, { columns: 60, rows: 20 })
  await screen.shows('1 Board')
  await screen.press('b')
  await screen.shows(/▸ ○ 1 Model/)
  await screen.press(right, 'j')
  await screen.shows(/▸ ◌ 2 API/)
  // With a filter the number of tasks is unknown until they are read.
  await screen.press('/', 'state:pending', '\r')
  await screen.shows(/state:pending · 2 tasks[^]*▸ ○ 1 Model/)
  await screen.press(right, right)
  await screen.lacks('‹')
  await screen.press('j')
  await screen.shows(/▸ ◌ 2 API/)
})

test('the columns show the reason of the selected task below, the tree after each title with room', async () => {
  const screen = await openShapes({ columns: 160, rows: 30 })
  await screen.press('b')
  await screen.shows(/○ 1 Model .*<1m[^]*│ +1 {2}<1m {2}ready to start/)
  await screen.press('j')
  await screen.shows(/│ +2 {2}<1m {2}blocked by task 1/)
  await screen.press('G')
  await screen.shows(/│ +5 {2}<1m {2}blocked by task 4; it was cancelled/)
  await screen.press('b')
  await screen.shows(/└─5 ◌ blocked {2}Frame {2}it was cancelled; for <1m/)
  await screen.shows(/1 ○ pending <1m {2}Model/)
})

test('a task that changes its state stays selected in its new column', async () => {
  const screen = await openShapes({ columns: 120, rows: 30 })
  await screen.press('j', 'b')
  await screen.shows(/▸ ◌ 2 API/)
  await perform(fixture.core, cancelTask, { taskId: 2 }, person)
  await screen.shows(/– cancelled 2/)
  await screen.shows(/▸ – 2 API/)
  await screen.press('b')
  await screen.shows(/▸ +└─2 – cancelled <1m {2}API/)
})

test('a filter leaves the found tasks and their ancestors in the tree, and the selection on a visible one', async () => {
  const screen = await openShapes({ columns: 120, rows: 30 })
  await screen.press('b', 'b')
  await screen.shows(/└─5 /)
  await screen.press('/')
  await screen.press(...'scr')
  await screen.shows(/ ·◆ 1 ○ pending .*Model/)
  await screen.shows(/▸ ◆ {3}└─3 ◌ blocked {2}Screen/)
  // A part of the word finds more of them.
  await screen.lacks(/Poster|Frame/)
  await screen.shows('◆ 3 tasks in a row')
  await screen.press('\r', 'g')
  await screen.shows(/▸·◆ 1 ○ pending .*Model/)
  // A further found task appears in its place.
  await fixture.addTask('Screen saver', { dependencies: [4] })
  await screen.shows(/4 – cancelled .*Poster[^]*└─6 .*Screen saver/)
  expect(screen.text()).not.toContain('Frame')
  // A selected task that is no longer found passes the selection on; without a selection none appears.
  await screen.press('/', '\u0015')
  await screen.press(...'nothing')
  await screen.shows('No task matches the filter; esc shows all.')
  // A found task comes first, not its ancestor.
  await screen.press('\u0015')
  await screen.press(...'scr')
  await screen.shows(/ ·◆ 1 ○ pending .*Model[^]*▸ ◆ {3}└─3 /)
  await screen.press('\u001b')
  await screen.shows(/ {2}◆ 1 ○ pending .*Model[^]*▸ ◆ {3}└─3 [^]*└─5 .*Frame/)
})

test('keys act on the task that is selected in the columns and in the tree', async () => {
  const screen = await openShapes({ columns: 120, rows: 30 })
  await screen.press('b', 'b')
  await screen.shows(/▸ ◆ 1 ○ pending/)
  await screen.press('G')
  await screen.shows(/▸ +└─5 ◌ blocked/)
  await screen.press('x')
  await screen.shows('Cancels task 5')
  await screen.press('n')
  await screen.press('\r')
  await screen.shows('[Task 5]')
})

/** The coordinates of a terminal, which start at 1. */
const mouse = (screen: Screen, words: string, button = 0): string => {
  const lines = screen.text().split('\n')
  const row = lines.findIndex((line) => line.includes(words))
  return `\u001b[<${button};${lines[row]!.indexOf(words) + 1};${row + 1}M`
}

test('a click selects the card or the row under it', async () => {
  const screen = await openShapes({ columns: 120, rows: 30 })
  await screen.press('b', 'Z')
  await screen.shows(/▸ ○ 1 Model/)
  await screen.shows('4 Poster')
  await screen.press(mouse(screen, '3 Screen'))
  await screen.shows(/▸ ◌ 3 Screen/)
  await screen.press(mouse(screen, '4 Poster'))
  await screen.shows(/▸ – 4 Poster/)
  // A click on the heading or below the last card has no effect.
  await screen.press(mouse(screen, 'pending 4'), mouse(screen, '3 Screen').replace(/\d+M$/, '16M'))
  await screen.press('b')
  await screen.shows(/▸ +4 – cancelled/)
  await screen.press(mouse(screen, 'API'))
  await screen.shows(/▸ ◆ +└─2 ◌ blocked/)
  await screen.press('x')
  await screen.shows('Cancels task 2')
})

test('the wheel scrolls the column or the tree under it', async () => {
  fixture = await openFixture()
  for (let n = 0; n < 150; n++) await fixture.addTask(`Task of ${n}`)
  for (let id = 2; id <= 120; id++) await perform(fixture.core, cancelTask, { taskId: id }, person)
  screen = openScreen(fixture, { columns: 200, rows: 30 })
  await screen.shows('1 Board')
  await screen.press('Z', 'b')
  await screen.shows(/▸ ○ 1 Task of 0/)
  const down = mouse(screen, '3 Task of 2', 65)
  await screen.press(...Array.from({ length: 40 }, () => down))
  await screen.shows('120 Task of 119')
  expect(screen.text()).toMatch(/▸ ○ 1 Task of 0/)
  await screen.press(mouse(screen, '1 Task of 0', 65))
  await screen.shows(/▸ ○ 123 Task of 122/)
  await screen.press('b')
  await screen.shows(/▸ +123 ○ pending/)
  await screen.press(mouse(screen, 'Task of 122', 64))
  await screen.shows(/▸ +120 – cancelled/)
})

test('a board of thousands of tasks is read only where it is visible', async () => {
  fixture = await openFixture()
  for (let n = 0; n < 400; n++) await fixture.addTask(`Task of ${n}`)
  screen = openScreen(fixture, { columns: 120, rows: 30 })
  await screen.shows('1 Board')
  await screen.press('b')
  await screen.shows(/▸ ○ 1 Task of 0/)
  await screen.press('G')
  await screen.shows(/▸ ○ 400 Task of 399/)
  await screen.press('k')
  await screen.shows(/▸ ○ 399 Task of 398/)
  await screen.press('b')
  await screen.shows(/▸ +399 ○ pending/)
  await screen.press('g')
  await screen.shows(/▸ +1 ○ pending/)
  await screen.press('b')
  await screen.shows(/▸ +1 .*Task of 0/)
})
