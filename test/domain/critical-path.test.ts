import { expect, test } from 'vitest'
import { criticalPath, searchCriticalPath } from '../../src/domain/critical-path.ts'

const needs = (taskId: number, ...others: readonly number[]) => others.map((dependsOn) => ({ taskId, dependsOn }))

test('the critical path is the longest chain, from the task that can start to the one that ends it', () => {
  expect(criticalPath([...needs(2, 1), ...needs(3, 2), ...needs(5, 4), ...needs(6, 3, 5)])).toEqual([1, 2, 3, 6])
})

test('a task that needs several stands behind the one with the longest way to it', () => {
  expect(criticalPath([...needs(9, 1, 2, 8), ...needs(8, 7), ...needs(7, 3)])).toEqual([3, 7, 8, 9])
})

test('of chains as long as each other the one that was made first is shown', () => {
  expect(criticalPath([...needs(4, 3), ...needs(2, 1)])).toEqual([1, 2])
  expect(criticalPath([...needs(5, 2), ...needs(5, 1)])).toEqual([1, 5])
})

test('where nothing waits for anything there is none', () => expect(criticalPath([])).toEqual([]))

test('a chain as long as a large board is followed to its end', () => {
  const chain = Array.from({ length: 50_000 }, (_, n) => ({ taskId: n + 2, dependsOn: n + 1 }))
  expect(criticalPath(chain)).toHaveLength(50_001)
})

test('it is found a part of the way at a time, and is the same', () => {
  const chain = Array.from({ length: 20_000 }, (_, n) => ({ taskId: n + 2, dependsOn: n + 1 }))
  const search = searchCriticalPath(chain)
  let parts = 0
  let step = search.next()
  for (; !step.done; step = search.next()) parts++
  expect(parts).toBeGreaterThan(10)
  expect(step.value).toEqual(criticalPath(chain))
})
