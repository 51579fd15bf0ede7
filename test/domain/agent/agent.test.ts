import { expect, test } from 'vitest'
import { agentIdOf } from '../../../src/domain/agent/agent.ts'

test('an agent is named after its persona and a number', () => {
  expect(agentIdOf('tester', 3)).toBe('tester-3')
})

test('the id for a persona with a long name is a valid id', () => {
  expect(agentIdOf('x'.repeat(50), 1)).toBe(`${'x'.repeat(42)}-1`)
})
