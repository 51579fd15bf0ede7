import { expect, test } from 'vitest'
import { afterFailure, LOST_ATTEMPTS_LIMIT, retryDelay } from '../../../src/domain/task/task.ts'

test('the first retry comes after 30 s, and all later ones after 60 s', () => {
  expect([1, 2, 3, 10].map(retryDelay)).toEqual([30_000, 60_000, 60_000, 60_000])
})

test('a task fails after two retries', () => {
  expect(afterFailure(0, 2)).toEqual({ retry: true, retryCount: 1, delay: 30_000 })
  expect(afterFailure(1, 2)).toEqual({ retry: true, retryCount: 2, delay: 60_000 })
  expect(afterFailure(2, 2)).toEqual({ retry: false })
})

test('a task without retries fails at once', () => {
  expect(afterFailure(0, 0)).toEqual({ retry: false })
})

test('a task that a person retried beyond the limit gets no further automatic retry', () => {
  expect(afterFailure(5, 2)).toEqual({ retry: false })
})

test('a task fails after five lost attempts', () => {
  expect(LOST_ATTEMPTS_LIMIT).toBe(5)
})
