import { expect, test } from 'vitest'
import { criticalPath, findCycle, searchCriticalPath } from '../../../src/domain/task/dependencies.ts'

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

const needs = (taskId: number, ...others: readonly number[]) => others.map((dependsOn) => ({ taskId, dependsOn }))

test('the critical path is the longest chain, from a task that can start to the task that ends the chain', () => {
  expect(criticalPath([...needs(2, 1), ...needs(3, 2), ...needs(5, 4), ...needs(6, 3, 5)])).toEqual([1, 2, 3, 6])
})

test('the critical path follows the dependency with the longest chain', () => {
  expect(criticalPath([...needs(9, 1, 2, 8), ...needs(8, 7), ...needs(7, 3)])).toEqual([3, 7, 8, 9])
})

test('the critical path is the oldest of equally long chains', () => {
  expect(criticalPath([...needs(4, 3), ...needs(2, 1)])).toEqual([1, 2])
  expect(criticalPath([...needs(5, 2), ...needs(5, 1)])).toEqual([1, 5])
})

test('the critical path is empty if no task waits for another', () => expect(criticalPath([])).toEqual([]))

test('the critical path follows a chain as long as a large board to its end', () => {
  const chain = Array.from({ length: 50_000 }, (_, n) => ({ taskId: n + 2, dependsOn: n + 1 }))
  expect(criticalPath(chain)).toHaveLength(50_001)
})

test('the critical path is the same if it is computed in steps', () => {
  const chain = Array.from({ length: 20_000 }, (_, n) => ({ taskId: n + 2, dependsOn: n + 1 }))
  const search = searchCriticalPath(chain)
  let parts = 0
  let step = search.next()
  for (; !step.done; step = search.next()) parts++
  expect(parts).toBeGreaterThan(10)
  expect(step.value).toEqual(criticalPath(chain))
})
