import { expect, test } from 'vitest'
import { criticalPath, searchCriticalPath } from '../../../src/domain/task/dependencies.ts'

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
