import { describe, expect, it, test } from 'vitest'
import {
  integrationMachine,
  integrationStates,
  type IntegrationState,
  type IntegrationVerb,
  whyNotApprove,
} from '../../../src/domain/integration/integration.ts'
import { step } from '../../../src/domain/rules/state-machine.ts'

/** The states from which each verb leads somewhere, and where; every other pair is refused. */
const allowed: Record<IntegrationVerb, [from: IntegrationState[], to: IntegrationState]> = {
  refresh: [['requested', 'conflicted', 'verifying', 'unverified', 'ready', 'approved', 'moving'], 'requested'],
  conflict: [['requested'], 'conflicted'],
  verify: [['requested'], 'verifying'],
  unverify: [['verifying', 'approved'], 'unverified'],
  pass: [['verifying'], 'ready'],
  approve: [['ready'], 'approved'],
  move: [['approved'], 'moving'],
  hold: [['approved', 'moving'], 'ready'],
  land: [['moving'], 'integrated'],
  reject: [['requested', 'conflicted', 'verifying', 'unverified', 'ready'], 'rejected'],
}

describe('an integration', () => {
  for (const [verb, [from, to]] of Object.entries(allowed)) {
    it(`follows ${verb} to ${to} only from ${from.join(', ')}`, () => {
      const reached = integrationStates.map((state) => step(integrationMachine, verb as IntegrationVerb, state))
      expect(reached).toEqual(integrationStates.map((state) => (from.includes(state) ? to : undefined)))
    })
  }

  it('never leaves integrated or rejected', () => {
    for (const verb of Object.keys(integrationMachine)) {
      expect(step(integrationMachine, verb as IntegrationVerb, 'integrated')).toBeUndefined()
      expect(step(integrationMachine, verb as IntegrationVerb, 'rejected')).toBeUndefined()
    }
  })
})

test('an integration is approved only if it is ready, and otherwise the refusal names its state', () => {
  expect(whyNotApprove('w', 'ready')).toBeUndefined()
  expect(whyNotApprove('w', undefined)).toBe(
    "The integration of w was not requested. 'aiswarm worktree request w' requests it.",
  )
  expect(whyNotApprove('w', 'verifying')).toBe('The merge of w is still in progress. Approve it when it is ready.')
  expect(whyNotApprove('w', 'conflicted')).toBe(
    'w conflicts with its target. Resolve it on the branch, then request the integration again.',
  )
  expect(integrationStates.filter((state) => whyNotApprove('w', state) === undefined)).toEqual(['ready'])
})
