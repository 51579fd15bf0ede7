import { expect, test } from 'vitest'
import { findCycle } from '../../../src/domain/task/dependencies.ts'

const chain = (length: number): Map<number, number[]> =>
  new Map(Array.from({ length }, (_, i) => [i + 1, i + 1 < length ? [i + 2] : []]))

test('no tasks and no edges contain no cycle', () => {
  expect(findCycle(new Map())).toBeUndefined()
  expect(
    findCycle(
      new Map([
        [1, []],
        [2, []],
      ]),
    ),
  ).toBeUndefined()
})

test('a task that depends on itself is a cycle', () => {
  expect(findCycle(new Map([[4, [4]]]))).toEqual([4, 4])
})

test('two tasks that depend on each other are a cycle', () => {
  expect(
    findCycle(
      new Map([
        [1, [2]],
        [2, [1]],
      ]),
    ),
  ).toEqual([1, 2, 1])
})

test('the cycle leaves out tasks that only lead to it', () => {
  expect(
    findCycle(
      new Map([
        [1, [2]],
        [2, [3]],
        [3, [4]],
        [4, [2]],
      ]),
    ),
  ).toEqual([2, 3, 4, 2])
})

test('a cycle that the first tasks do not reach is found', () => {
  expect(
    findCycle(
      new Map([
        [1, []],
        [2, [1]],
        [5, [6, 1]],
        [6, [5]],
      ]),
    ),
  ).toEqual([5, 6, 5])
})

test('two paths to the same task are not a cycle', () => {
  expect(
    findCycle(
      new Map([
        [1, [2, 3]],
        [2, [4]],
        [3, [4]],
        [4, []],
      ]),
    ),
  ).toBeUndefined()
})

test('a task outside the map depends on nothing', () => {
  expect(findCycle(new Map([[1, [99]]]))).toBeUndefined()
})

test('a chain of 10,000 tasks is not a cycle, and is one when it is closed', () => {
  const open = chain(10_000)
  expect(findCycle(open)).toBeUndefined()
  const closed = findCycle(open.set(10_000, [1]))
  expect(closed).toHaveLength(10_001)
  expect([closed![0], closed![1], closed!.at(-1)]).toEqual([1, 2, 1])
})

test('a layered board of 100 × 100 tasks, each dependent on the whole previous layer, is searched once', () => {
  const edges = new Map<number, number[]>()
  for (let layer = 0; layer < 100; layer++) {
    for (let i = 0; i < 100; i++)
      edges.set(layer * 100 + i, layer === 0 ? [] : Array.from({ length: 100 }, (_, j) => (layer - 1) * 100 + j))
  }
  expect(findCycle(edges)).toBeUndefined()
})
