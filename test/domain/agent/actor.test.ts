import { expect, test } from 'vitest'
import {
  type Actor,
  type Authority,
  checkActsAs,
  checkAuthority,
  person,
  system,
} from '../../../src/domain/agent/actor.ts'
import { isRefusal } from '../../../src/domain/rules/refusal.ts'

const worker: Actor = { kind: 'agent', id: 'implementer-1', role: 'worker', worktree: 'w' }
const planner: Actor = { kind: 'agent', id: 'planner-1', role: 'planner', worktree: null }
const actors = { person, system: system(), planner, worker }

const may = (authority: Authority, actor: Actor): boolean => {
  try {
    checkAuthority('approve_integration', authority, actor)
    return true
  } catch (error) {
    if (isRefusal(error) && error.code === 'not_allowed') return false
    throw error
  }
}

test('each actor may perform its own operations', () => {
  const table = (authority: Authority) =>
    Object.entries(actors)
      .filter(([, actor]) => may(authority, actor))
      .map(([name]) => name)
  expect(table('anyone')).toEqual(['person', 'system', 'planner', 'worker'])
  expect(table('agent')).toEqual(['person', 'system', 'planner', 'worker'])
  expect(table('planner')).toEqual(['person', 'system', 'planner'])
  expect(table('person')).toEqual(['person', 'system'])
  expect(table('system')).toEqual(['system'])
})

test('the refusal names the actors that may', () => {
  expect(() => checkAuthority('approve_integration', 'person', planner)).toThrow(
    'planner-1 may not approve integration; only a person may do it.',
  )
  expect(() => checkAuthority('create_worktree', 'planner', worker)).toThrow(
    'implementer-1 may not create worktree; only a planner or a person may do it.',
  )
  expect(() => checkAuthority('sweep', 'system', person)).toThrow('human may not sweep; only aiswarm itself may do it.')
})

test('an agent acts only as itself; a person and the program act for any agent', () => {
  expect(() => checkActsAs(worker, 'implementer-2')).toThrow(
    'This connection belongs to agent implementer-1 and cannot act as implementer-2.',
  )
  expect(() => checkActsAs(worker, 'implementer-1')).not.toThrow()
  expect(() => checkActsAs(person, 'implementer-2')).not.toThrow()
  expect(() => checkActsAs(system({ holder: 'h', term: 1 }), 'implementer-2')).not.toThrow()
})
