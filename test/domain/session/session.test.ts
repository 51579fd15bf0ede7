import { expect, test } from 'vitest'
import { verdict } from '../../../src/domain/session/session.ts'

test('a session is completed if every task is, failed if a task has failed, and aborted otherwise', () => {
  expect(verdict({ failed: 0, unfinished: 0 })).toBe('completed')
  expect(verdict({ failed: 1, unfinished: 0 })).toBe('failed')
  expect(verdict({ failed: 1, unfinished: 3 })).toBe('failed')
  expect(verdict({ failed: 0, unfinished: 3 })).toBe('aborted')
})
