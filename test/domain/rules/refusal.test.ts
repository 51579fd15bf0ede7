import { expect, test } from 'vitest'
import { isRefusal, isUndecided, Refusal, refusalCodes, StoreRefusal } from '../../../src/domain/rules/refusal.ts'

test('a refusal has a code for programs, a sentence for people, and its cause', () => {
  const cause = new Error('disk')
  const refusal = new Refusal('not_writable', 'It cannot be written.', { cause })
  expect([refusal.name, refusal.code, refusal.message, refusal.cause]).toEqual([
    'Refusal',
    'not_writable',
    'It cannot be written.',
    cause,
  ])
  expect(isRefusal(refusal)).toBe(true)
})

test('another error is not a refusal', () => {
  expect(isRefusal(new Error('x'))).toBe(false)
  expect(isRefusal({ code: 'not_found', message: 'x' })).toBe(false)
  expect(isRefusal(undefined)).toBe(false)
})

test('every refusal code occurs once', () => {
  expect(new Set(refusalCodes).size).toBe(refusalCodes.length)
})

test('a refusal of the store, of the right to write, or for a moment decides nothing', () => {
  const undecided = [
    new StoreRefusal('not_allowed', 'The login was refused.'),
    new Refusal('store_unreachable', 'It went away while it was committing.', { retryable: false }),
    new Refusal('database_busy', 'Try again.'),
    new Refusal('role_lost', 'Another process has it.'),
    new Refusal('blocked', 'It is not there yet.', { retryable: true }),
  ]
  expect(undecided.map(isUndecided)).toEqual(undecided.map(() => true))
  const decided = [
    new Refusal('not_allowed', 'A person does that.'),
    new Refusal('remote_unreachable', 'x'),
    new Error(),
  ]
  expect(decided.map(isUndecided)).toEqual(decided.map(() => false))
})
