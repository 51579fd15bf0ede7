import { expect, test } from 'vitest'
import { nextAgentId } from '../../src/domain/agent.ts'

test('an agent takes the first number that is free', () => {
  expect(nextAgentId('tester', new Set())).toBe('tester-1')
  expect(nextAgentId('tester', new Set(['tester-1', 'tester-2', 'tester-4']))).toBe('tester-3')
})

test('the id of a persona with a long name is still an id', () => {
  expect(nextAgentId('x'.repeat(50), new Set())).toBe(`${'x'.repeat(42)}-1`)
})
