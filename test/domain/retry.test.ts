import { expect, test } from 'vitest'
import { afterFailure, LOST_ATTEMPTS_LIMIT, retryDelay } from '../../src/domain/retry.ts'

test('the first retry comes after 30 s, the second and all later ones after 60 s', () => {
  expect([1, 2, 3, 10].map(retryDelay)).toEqual([30_000, 60_000, 60_000, 60_000])
})

test('two retries are made, and then the task has failed', () => {
  expect(afterFailure(0, 2)).toEqual({ retry: true, retryCount: 1, delay: 30_000 })
  expect(afterFailure(1, 2)).toEqual({ retry: true, retryCount: 2, delay: 60_000 })
  expect(afterFailure(2, 2)).toEqual({ retry: false })
})

test('without retries the first failure is the last', () => {
  expect(afterFailure(0, 0)).toEqual({ retry: false })
})

test('a person who retried by hand beyond the limit gets no automatic retry on top', () => {
  expect(afterFailure(5, 2)).toEqual({ retry: false })
})

test('five lost attempts are the end', () => {
  expect(LOST_ATTEMPTS_LIMIT).toBe(5)
})
