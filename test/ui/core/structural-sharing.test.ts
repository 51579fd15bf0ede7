import { expect, test } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { readBoard } from '../../../src/operations/screens/board.ts'
import { cancelTask } from '../../../src/operations/tasks/cancel.ts'
import { boardArrived } from '../../../src/ui/core/reducers.ts'
import { keepRows, same } from '../../../src/ui/core/structural-sharing.ts'
import { initialState } from '../../../src/ui/store.ts'
import { openFixture } from '../fixture.ts'

test('plain values are the same if they have the same content', () => {
  expect(same({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toBe(true)
  expect(same({ a: undefined }, {})).toBe(false)
  expect(same([1, 2], { 0: 1, 1: 2 })).toBe(false)
  expect(same(Number.NaN, Number.NaN)).toBe(true)
})

test('an unchanged list stays the same object, and only changed rows are new', () => {
  const old = [
    { id: 1, text: 'a' },
    { id: 2, text: 'b' },
  ]
  expect(
    keepRows(
      old,
      [
        { id: 1, text: 'a' },
        { id: 2, text: 'b' },
      ],
      (row) => row.id,
    ),
  ).toBe(old)
  const next = keepRows(
    old,
    [
      { id: 2, text: 'b' },
      { id: 1, text: 'c' },
    ],
    (row) => row.id,
  )
  expect(next[0]).toBe(old[1])
  expect(next[1]).toEqual({ id: 1, text: 'c' })
})

test('rows of the board keep their identity across reads', async () => {
  const fixture = await openFixture()
  for (const title of ['one', 'two', 'three']) await fixture.addTask(title)
  const read = () => perform(fixture.core, readBoard, {}, person)
  const first = boardArrived(await read())(initialState(fixture.core.clock()))
  const second = boardArrived(await read())(first)
  expect(second.board).toBe(first.board)
  await perform(fixture.core, cancelTask, { taskId: 2 }, person)
  const third = boardArrived(await read())(second)
  expect(third.board.tasks[0]).toBe(first.board.tasks[0])
  expect(third.board.tasks[1]?.status).toBe('cancelled')
  expect(third.board.tasks[2]).toBe(first.board.tasks[2])
  expect(third.board.agents).toBe(first.board.agents)
  fixture.close()
})
