import { expect, test } from 'vitest'
import { builtInPersonas } from '../../../src/domain/agent/personas.ts'
import { checkId } from '../../../src/domain/rules/names.ts'

test('the built-in personas are the four of seed 004, and only the planner plans', () => {
  expect(builtInPersonas.map((persona) => [persona.id, persona.role])).toEqual([
    ['planner', 'planner'],
    ['implementer', 'worker'],
    ['reviewer', 'worker'],
    ['tester', 'worker'],
  ])
  for (const persona of builtInPersonas) {
    expect(() => checkId('persona', persona.id)).not.toThrow()
    expect(persona.definition.length).toBeGreaterThan(100)
  }
})
