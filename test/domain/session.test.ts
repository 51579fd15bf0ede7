import { expect, test } from 'vitest'
import { verdict } from '../../src/domain/session.ts'

test('a session is completed when everything is, failed when a task is, else aborted', () => {
  expect(verdict({ failed: 0, unfinished: 0 })).toBe('completed')
  expect(verdict({ failed: 1, unfinished: 0 })).toBe('failed')
  expect(verdict({ failed: 1, unfinished: 3 })).toBe('failed')
  expect(verdict({ failed: 0, unfinished: 3 })).toBe('aborted')
})
