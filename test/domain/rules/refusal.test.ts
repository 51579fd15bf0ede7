import { expect, test } from 'vitest'
import { isRefusal, Refusal, refusalCodes } from '../../../src/domain/rules/refusal.ts'

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
