import { afterEach, beforeEach, expect, test } from 'vitest'
import { rowReason } from '../../../src/ui/rows/tasks.ts'
import { openController, type TestController } from '../controller.ts'
import { type Fixture, openFixture } from '../fixture.ts'

let fixture: Fixture
let controller: TestController
beforeEach(async () => {
  fixture = await openFixture()
  await fixture.addTask('Login')
  controller = await openController(fixture)
})
afterEach(() => fixture.close())

const reason = () => rowReason(controller.state(), controller.state().board.tasks[0]!)

test('a row of a ready task says why nothing is started on this machine, and otherwise nothing', () => {
  expect(reason()).toBe('')
  controller.change((state) => ({
    ...state,
    supervisor: { here: true, pid: null, hold: 'only 80M of memory is available' },
  }))
  expect(reason()).toBe('only 80M of memory is available')
})
